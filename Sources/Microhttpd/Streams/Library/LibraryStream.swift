internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Signals

/// An event stream that is written through libmicrohttpd's documented API, because its socket
/// cannot be taken over.
///
/// libmicrohttpd calls ``write(into:)`` when the socket accepts bytes. If there is nothing to send,
/// the connection is suspended until an event, a heartbeat or the end of the stream resumes it. So
/// a slow client only takes the buffer of its connection and a position in the log.
// @unchecked Sendable because all of it runs on the loop's thread.
final class LibraryStream: TableStream, @unchecked Sendable {
  private enum State {
    /// libmicrohttpd owns the connection and will ask for bytes.
    case writing
    /// The connection is suspended: exactly one resume is due.
    case parked
    /// The client has left, or everything was sent.
    case closed
  }

  /// The index of the stream in the table of its transport.
  var index: Int32 = 0
  let readers: LogReaders
  var readerIndex = 0

  private let transport: LibraryTransport
  private let connection: OpaquePointer
  private let stream: EventStream
  private let request: StreamRequest
  /// The rest of the opening or of a long block, which is written in parts.
  private var rest: ArraySlice<UInt8>
  private var position: UInt64
  private var state = State.writing
  private var isEnding = false
  /// The reason for the end; `nil` if the client closes the stream.
  private var endReason: StreamEnd?
  /// The position after the last event that existed when the stream was opened.
  private let replayEnd: UInt64
  private var needsHeartbeat = false
  private var deadlines: StreamDeadlines
  /// The time at which libmicrohttpd last asked for bytes, or was resumed to do so.
  private var lastAsked: Duration

  init(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer,
    through transport: LibraryTransport,
    readers: LogReaders
  ) {
    self.stream = stream
    self.request = request
    self.connection = connection
    self.transport = transport
    self.readers = readers
    position = stream.position
    replayEnd = stream.log.head
    rest = (StreamPreamble.bytes + stream.opening)[...]
    lastAsked = transport.loop.now
    deadlines = StreamDeadlines(now: lastAsked, transport.limits)
    switch request.framing {
    case .chunked: break
    // A close before the end, even by the kernel, must not make the stream look complete.
    case .untilClose: setResetsOnClose(true, of: cmicrohttpd_descriptor(connection))
    }
  }

  /// Writes the next bytes into a buffer; called by libmicrohttpd when the socket accepts bytes.
  ///
  /// - Returns: The number of bytes, 0 if the connection was suspended, or
  ///   `MHD_CONTENT_READER_END_OF_STREAM`.
  func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    lastAsked = transport.loop.now
    if !rest.isEmpty { return writeRest(into: buffer) }
    switch stream.log.read(from: position, into: buffer) {
    case .copied(let count, let next):
      readers.tally.add(from: position, to: next, replayEnd: replayEnd)
      position = next
      return wrote(count)
    case .tooLong(let block, let next):
      readers.tally.add(from: position, to: next, replayEnd: replayEnd)
      position = next
      rest = block[...]
      return wrote(writeRest(into: buffer))
    case .outside:
      return finish(.behind)
    case .finished:
      if isEnding { return finish(.finished) }
      // End the stream a moment after the last event, which gives the client time to read it.
      deadlines.end(by: lastAsked + .milliseconds(Int.random(in: 200...1000)))
    case .upToDate:
      if isEnding { return finish(.lifetime) }
    }
    if needsHeartbeat, buffer.count >= 2 {
      buffer.copyBytes(from: ":\n".utf8)
      return wrote(2)
    }
    state = .parked
    MHD_suspend_connection(connection)
    return 0
  }

  private func writeRest(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = rest.prefix(buffer.count)
    buffer.copyBytes(from: part)
    rest = rest.dropFirst(part.count)
    return part.count
  }

  /// Ends the stream after everything was sent.
  private func finish(_ end: StreamEnd) -> Int {
    endReason = end
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

  /// Ends the stream cleanly as soon as all pending bytes are sent.
  func endNow() {
    isEnding = true
    wake()
  }

  /// Sends a heartbeat or ends the stream if that is due, and resets the connection of a stalled
  /// client.
  func checkDeadlines(at now: Duration) {
    switch state {
    case .closed: break
    case .writing:
      if deadlines.isOver(at: now) { isEnding = true }
      let stall = transport.limits.stall
      if now - lastAsked >= stall || deadlines.isOver(at: now - stall) { reset() }
    case .parked:
      if deadlines.isOver(at: now) { return endNow() }
      guard deadlines.needsHeartbeat(at: now) else { return }
      // A heartbeat also detects clients that have left.
      needsHeartbeat = true
      wake()
    }
  }

  /// Resets the connection of a client that does not read; libmicrohttpd notices the end and closes
  /// the connection.
  private func reset() {
    endReason = .stalled
    let descriptor = cmicrohttpd_descriptor(connection)
    setResetsOnClose(true, of: descriptor)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Resumes the connection if it is suspended, so that libmicrohttpd asks for bytes again.
  func wake() {
    guard case .parked = state else { return }
    state = .writing
    lastAsked = transport.loop.now
    MHD_resume_connection(connection)
  }

  /// Closes the stream, because libmicrohttpd has released it; called by `streamFreeHandler`.
  func close() {
    state = .closed
    transport.closed(self, stream, request, because: endReason ?? .client)
  }
}

/// Reads the next bytes of a stream (`MHD_ContentReaderCallback`).
let streamReader: MHD_ContentReaderCallback = { closure, _, buffer, size in
  guard let closure, let buffer else { return MHD_CONTENT_READER_END_WITH_ERROR }
  let stream = Unmanaged<LibraryStream>.fromOpaque(closure).takeUnretainedValue()
  return stream.write(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

/// Releases a stream (`MHD_ContentReaderFreeCallback`).
let streamFreeHandler: MHD_ContentReaderFreeCallback = { closure in
  guard let closure else { return }
  // Balances `passRetained` in
  // `EventStreamTransport.makeResponse(reading:…)`.
  Unmanaged<LibraryStream>.fromOpaque(closure).takeRetainedValue().close()
}
