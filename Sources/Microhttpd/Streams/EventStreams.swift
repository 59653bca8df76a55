internal import CMicrohttpd
internal import HTTPSignals
internal import HTTPTypes
internal import Signals

/// All event streams of one event loop: who is let in, how each is written, and when they end.
///
/// A stream is written straight to its socket by another thread (``StreamLoop``) where the socket can
/// be taken over; otherwise libmicrohttpd writes it (``EventStreamWriter``).
// @unchecked Sendable because what is not constant is touched on the loop's thread only.
final class EventStreams: @unchecked Sendable {
  let loop: EventLoop
  let configuration: Daemon.Configuration

  private let admission: StreamAdmission
  private let streamLoop: StreamLoop
  private let writers: EventStreamWriters
  private var isDraining = false
  private var looksAtClock = false
  /// Whether the next complaint of libmicrohttpd about a failed response is ours.
  private var hasHandedOver = false

  init(
    loop: EventLoop,
    configuration: Daemon.Configuration,
    admission: StreamAdmission,
    streamLoop: StreamLoop
  ) {
    self.loop = loop
    self.configuration = configuration
    self.admission = admission
    self.streamLoop = streamLoop
    writers = EventStreamWriters(loop: loop)
  }

  /// How many streams are open that libmicrohttpd does not know of, of all loops.
  var directCount: Int { streamLoop.count }

  /// How a stream on a connection is written.
  func transport(on connection: OpaquePointer) -> Daemon.StreamTransport {
    switch configuration.streamTransport {
    case .direct: StreamSocket.canTakeOver(connection) ? .direct : .library
    case .library: .library
    }
  }

  // MARK: Letting in

  /// Counts a stream in.
  ///
  /// - Parameters:
  ///   - stream: The stream; disposed when there is no place for it.
  ///   - request: What it answers.
  /// - Returns: Whether it has a place, or what is answered instead.
  func admit(_ stream: EventStream, for request: StreamRequest) -> Admission {
    if !isDraining, admission.enter(request.client, request.transport) { return .admitted }
    stream.source?.dispose()
    if !isDraining { configuration.rejections.count(.stream) }
    guard request.isEventSource else {
      return .refused(isDraining ? .draining : .tooManyStreams)
    }
    // An error would end a browser's EventSource for ever; this makes it come back later.
    return .deferred(EventStream.busyContent)
  }

  /// Whether a stream has a place.
  enum Admission {
    /// It has.
    case admitted
    /// It has not, which is a problem.
    case refused(ProblemDetails)
    /// It has not, and the client is told in the content when to come back.
    case deferred([UInt8])
  }

  /// Makes libmicrohttpd's form of the response to an admitted stream.
  ///
  /// - Returns: `nil` when there is no memory.
  func makeResponse(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> OpaquePointer? {
    let made =
      switch request.transport {
      case .direct: makeHandover(of: stream, for: request, on: connection)
      case .library: makeWriter(of: stream, for: request, on: connection)
      }
    guard let made else {
      closed(stream, for: request)
      return nil
    }
    switch request.framing {
    case .chunked: break
    case .untilClose: cmicrohttpd_set_flags(made, .RF_HTTP_1_0_COMPATIBLE_STRICT)
    }
    return made
  }

  private func makeHandover(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> OpaquePointer? {
    let handover = StreamHandover(
      streams: self,
      connection: connection,
      stream: stream,
      request: request
    )
    // C holds the handover from here on; `handoverFreeHandler` takes it back.
    let closure = Unmanaged.passRetained(handover)
    guard
      let made = MHD_create_response_from_callback(
        .max,
        128,
        handoverReader,
        closure.toOpaque(),
        handoverFreeHandler
      )
    else {
      closure.release()
      return nil
    }
    // What comes after the stream on this connection is not read.
    MHD_add_response_header(made, "Connection", "close")
    return made
  }

  private func makeWriter(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> OpaquePointer? {
    let writer = EventStreamWriter(
      streams: self,
      connection: connection,
      stream: stream,
      request: request
    )
    // C holds the writer from here on; `streamFreeHandler` takes it back.
    let closure = Unmanaged.passRetained(writer)
    guard
      let made = MHD_create_response_from_callback(
        .max,
        2048,
        streamReader,
        closure.toOpaque(),
        streamFreeHandler
      )
    else {
      closure.release()
      return nil
    }
    // Before the first read, so that no event is missed.
    writers.add(writer)
    startClock()
    return made
  }

  /// Writes a stream to its socket from now on.
  func takeOver(_ stream: EventStream, on socket: StreamSocket, for request: StreamRequest) {
    hasHandedOver = true
    streamLoop.open(stream, on: socket, for: request)
  }

  // MARK: Letting go

  /// A stream was counted in and did not come to be, or has ended.
  func closed(_ stream: EventStream, for request: StreamRequest) {
    stream.source?.dispose()
    admission.leave(request.client, request.transport)
  }

  /// A stream that libmicrohttpd wrote has ended.
  func closed(_ writer: EventStreamWriter) {
    writers.remove(writer)
  }

  /// Lets nobody in any more, and ends all streams at random within a time.
  func drain(within time: Duration) {
    isDraining = true
    writers.forEach { $0.end(by: loop.now + time * Double.random(in: 0..<1)) }
  }

  /// Ends all streams now.
  func endAll() {
    isDraining = true
    writers.forEach { $0.endNow() }
  }

  // MARK: Time

  /// Looks at the clock for as long as streams are open.
  private func startClock() {
    guard !looksAtClock, !writers.isEmpty else { return }
    looksAtClock = true
    loop.schedule(after: configuration.streamClock) { [weak self] in self?.lookAtClock() }
  }

  private func lookAtClock() {
    looksAtClock = false
    let now = loop.now
    writers.forEach { $0.look(at: now) }
    startClock()
  }

  // MARK: Messages

  /// Whether a message of libmicrohttpd is about a handover: it takes it for a failure.
  func isExpected(_ message: String) -> Bool {
    // With chunks, and without.
    guard hasHandedOver,
      message.contains("application error generating response")
        || message.contains("application reported error generating data")
    else { return false }
    hasHandedOver = false
    return true
  }
}
