internal import CMicrohttpd
internal import HTTPSignals
internal import Signals

/// The transport that lets libmicrohttpd write event streams, through its documented API; it serves
/// one event loop.
///
/// Streams of the same log share one hop to the loop for each advance. They are woken in parts,
/// because libmicrohttpd writes to all resumed connections before it handles requests again.
// @unchecked Sendable because all of it is used on the loop's thread only.
final class LibraryTransport: EventStreamTransport, @unchecked Sendable {
  /// The number of streams that are woken before requests get their turn.
  private static let wakesPerPart = 16

  private let streams: OpenStreams<LibraryStream>
  private var willWake = false

  init(on loop: EventLoop, admission: StreamAdmission, _ options: DaemonOptions) {
    streams = OpenStreams(of: .library, on: loop, admission: admission, options)
    streams.becameDue = { [weak self] in self?.wakePart() }
  }

  var kind: StreamTransport { .library }

  func canServe(_ connection: OpaquePointer) -> Bool { true }

  func makeResponse(to request: StreamRequest, on connection: OpaquePointer) -> MHDResponse? {
    let descriptor = cmicrohttpd_descriptor(connection)
    let state = streams.makeState(for: request, on: descriptor)
    let opened = LibraryStream(state, on: connection, in: streams)
    streams.add(opened)
    return opened.makeResponse(framing: request.framing, partBytes: 2048)
  }

  func drain(within time: Duration) {
    streams.drain(within: time)
  }

  func endAll() {
    streams.endAll()
  }

  /// Wakes a part of the streams that are due; the loop does its other work before the next part.
  private func wakePart() {
    guard !willWake else { return }
    streams.flushPart(of: Self.wakesPerPart)
    guard streams.hasPending else { return }
    willWake = true
    streams.loop.run { [weak self] in
      self?.willWake = false
      self?.wakePart()
    }
  }
}
