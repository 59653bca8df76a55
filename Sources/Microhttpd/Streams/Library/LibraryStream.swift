internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Signals

/// Writes an event stream by libmicrohttpd's book, where its socket cannot be taken over.
///
/// libmicrohttpd asks for bytes when the socket takes some (`write`); when there is nothing to send
/// the connection is suspended, and what comes up resumes it: an event, a heartbeat, the end. So a
/// slow client holds its connection's own buffer and a position in the log, and no more.
// @unchecked Sendable because all of it runs on the loop's thread.
final class LibraryStream: @unchecked Sendable {
  private enum State {
    /// libmicrohttpd has the connection and will ask.
    case writing
    /// The connection is suspended: exactly one resume is due.
    case parked
    /// The client has gone, or everything was sent.
    case closed
  }

  /// Where ``LibraryStreamTable`` keeps it.
  var index: Int32 = 0
  /// Where it stands in its group.
  var readerIndex = 0

  private let streams: StreamRegistry
  private let connection: OpaquePointer
  private let stream: EventStream
  private let request: StreamRequest
  private var opening: ArraySlice<UInt8>
  private var position: UInt64
  private var state = State.writing
  private var isEnding = false
  private var needsHeartbeat = false
  private var deadlines: StreamDeadlines
  /// When libmicrohttpd asked last, or was told to.
  private var lastAsked: Duration

  init(
    streams: StreamRegistry,
    connection: OpaquePointer,
    stream: EventStream,
    request: StreamRequest
  ) {
    self.streams = streams
    self.connection = connection
    self.stream = stream
    self.request = request
    position = stream.position
    opening = (StreamPreamble.bytes + stream.opening)[...]
    lastAsked = streams.loop.now
    deadlines = StreamDeadlines(now: lastAsked, streams.configuration)
    switch request.framing {
    case .chunked: break
    // Whoever closes it before its end, and be it the kernel, must not make it look complete.
    case .untilClose: setResetsOnClose(true, of: cmicrohttpd_descriptor(connection))
    }
  }

  /// What it reads.
  var log: EventLog { stream.log }

  /// Writes what there is; called by libmicrohttpd when the socket takes some.
  ///
  /// - Returns: How many bytes, or that the stream has ended.
  func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    lastAsked = streams.loop.now
    if !opening.isEmpty { return writeOpening(into: buffer) }
    switch stream.log.read(from: position, into: buffer) {
    case .copied(let count, let next):
      position = next
      return wrote(count)
    case .outside:
      return finish()
    case .finished:
      if isEnding { return finish() }
      // A moment after the last event: a client that is just reading it is not cut.
      deadlines.end(by: lastAsked + .milliseconds(Int.random(in: 200...1000)))
    case .upToDate:
      if isEnding { return finish() }
    }
    if needsHeartbeat, buffer.count >= 2 {
      buffer.copyBytes(from: ":\n".utf8)
      return wrote(2)
    }
    state = .parked
    MHD_suspend_connection(connection)
    return 0
  }

  private func writeOpening(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = opening.prefix(buffer.count)
    buffer.copyBytes(from: part)
    opening = opening.dropFirst(part.count)
    return part.count
  }

  /// Ends the stream: everything before was sent.
  private func finish() -> Int {
    setResetsOnClose(false, of: cmicrohttpd_descriptor(connection))
    return MHD_CONTENT_READER_END_OF_STREAM
  }

  private func wrote(_ count: Int) -> Int {
    needsHeartbeat = false
    deadlines.wrote(at: lastAsked)
    return count
  }

  /// Ends the stream cleanly by a time.
  func end(by time: Duration) {
    deadlines.end(by: time)
  }

  /// Ends the stream cleanly as soon as what there is was sent.
  func endNow() {
    isEnding = true
    wake()
  }

  /// Looks whether its heartbeat, its end or its client's patience is due.
  func checkDeadlines(at now: Duration) {
    switch state {
    case .closed: break
    case .writing:
      if deadlines.isOver(at: now) { isEnding = true }
      let stall = streams.configuration.streamStall
      if now - lastAsked >= stall || deadlines.isOver(at: now - stall) { reset() }
    case .parked:
      if deadlines.isOver(at: now) { return endNow() }
      guard deadlines.needsHeartbeat(at: now) else { return }
      // It also finds clients that have gone.
      needsHeartbeat = true
      wake()
    }
  }

  /// Resets the connection of a client that does not read; libmicrohttpd finds it ended and lets go
  /// of it.
  private func reset() {
    let descriptor = cmicrohttpd_descriptor(connection)
    setResetsOnClose(true, of: descriptor)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Has libmicrohttpd ask again, if it waits.
  func wake() {
    guard case .parked = state else { return }
    state = .writing
    lastAsked = streams.loop.now
    MHD_resume_connection(connection)
  }

  /// libmicrohttpd lets go of the stream; called by `streamFreeHandler`.
  func close() {
    state = .closed
    streams.closed(self)
    streams.closed(stream, for: request)
  }
}
