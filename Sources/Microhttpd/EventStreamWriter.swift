internal import CMicrohttpd
internal import HTTPSignals
internal import Signals

/// Writes an event stream to one client, as fast as the client reads.
///
/// libmicrohttpd asks for octets when the socket takes some (`write`); when there is nothing to send
/// the connection is suspended, and what comes up resumes it: an event, a heartbeat, the end. So a
/// slow client holds its connection's own buffer and a position in the log, and no more.
// @unchecked Sendable because all of it runs on the loop's thread.
final class EventStreamWriter: @unchecked Sendable {
  private enum State {
    /// libmicrohttpd has the connection and will ask.
    case writing
    /// The connection is suspended: exactly one resume is due.
    case parked
    /// The client has gone, or everything was sent.
    case closed
  }

  private let server: ServerLoop
  private let connection: OpaquePointer
  private let stream: EventStream
  private var opening: ArraySlice<UInt8>
  private var position: UInt64
  private var state = State.writing
  private var isEnding = false
  private var endsSoon = false
  private var needsHeartbeat = false
  private var lastWrite: Duration
  private let subscriptions = CompositeDisposable()

  init(server: ServerLoop, connection: OpaquePointer, stream: EventStream) {
    self.server = server
    self.connection = connection
    self.stream = stream
    position = stream.position
    // `retry` spreads the clients that come back after a restart; no blank line, since some clients
    // take one for an event.
    let preamble = "retry: \(Int.random(in: 2000...5000))\n: ok\n"
    opening = (Array(preamble.utf8) + stream.opening)[...]
    // The first heartbeat is early by a random part, so that those of many streams do not meet.
    let phase = Double.random(in: 0..<1)
    lastWrite = server.loop.now - server.configuration.heartbeat * phase
  }

  /// Follows the log; before the first read, so that nothing is missed.
  func open() {
    let loop = server.loop
    subscriptions.add(
      stream.log.advances.subscribe(next: { loop.run { [weak self] in self?.wake() } })
    )
  }

  /// Writes what there is; called by libmicrohttpd when the socket takes some.
  ///
  /// - Returns: How many octets, or that the stream has ended.
  func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if !opening.isEmpty { return writeOpening(into: buffer) }
    switch stream.log.read(from: position, into: buffer) {
    case .copied(let count, let next):
      position = next
      return wrote(count)
    case .outside:
      return MHD_CONTENT_READER_END_OF_STREAM
    case .finished:
      if isEnding { return MHD_CONTENT_READER_END_OF_STREAM }
      endSoon()
    case .upToDate:
      if isEnding { return MHD_CONTENT_READER_END_OF_STREAM }
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

  private func wrote(_ count: Int) -> Int {
    needsHeartbeat = false
    lastWrite = server.loop.now
    return count
  }

  /// Ends the stream a moment after its last event: a client that is just reading it is not cut.
  private func endSoon() {
    guard !endsSoon else { return }
    endsSoon = true
    end(after: .milliseconds(Int.random(in: 200...1000)))
  }

  /// Ends the stream cleanly, later.
  func end(after delay: Duration) {
    subscriptions.add(
      server.loop.schedule(after: delay) { [weak self] in
        self?.isEnding = true
        self?.wake()
      }
    )
  }

  /// Sends a heartbeat if nothing was written for so long; it also finds clients that have gone.
  func beat(at now: Duration) {
    guard now - lastWrite >= server.configuration.heartbeat else { return }
    needsHeartbeat = true
    wake()
  }

  private func wake() {
    guard case .parked = state else { return }
    state = .writing
    server.loop.resume(connection)
  }

  /// libmicrohttpd lets go of the stream; called by `streamFreeHandler`.
  func close() {
    state = .closed
    subscriptions.dispose()
    stream.source?.dispose()
    server.closed(self)
  }
}
