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
  private var writers: [ObjectIdentifier: EventStreamWriter] = [:]
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
  }

  /// How many streams are open that libmicrohttpd does not know of, of all loops.
  var directCount: Int { streamLoop.count }

  // MARK: Letting in

  /// Counts a stream in.
  ///
  /// - Parameters:
  ///   - stream: The stream; disposed when there is no place for it.
  ///   - request: What it answers.
  /// - Returns: Whether it has a place, or what is answered instead.
  func admit(_ stream: EventStream, for request: StreamRequest) -> Admission {
    if !isDraining, admission.enter(request.client) { return .admitted }
    stream.source?.dispose()
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
    let isDirect =
      configuration.streamTransport == .direct && StreamSocket.canTakeOver(connection)
    let made =
      isDirect
      ? makeHandover(of: stream, for: request, on: connection)
      : makeWriter(of: stream, for: request, on: connection)
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
    writers[ObjectIdentifier(writer)] = writer
    writer.open()
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
    admission.leave(request.client)
  }

  /// A stream that libmicrohttpd wrote has ended.
  func closed(_ writer: EventStreamWriter) {
    writers[ObjectIdentifier(writer)] = nil
  }

  /// Lets nobody in any more, and ends all streams at random within a time.
  func drain(within time: Duration) {
    isDraining = true
    for writer in writers.values {
      writer.end(by: loop.now + time * Double.random(in: 0..<1))
    }
  }

  /// Ends all streams now.
  func endAll() {
    isDraining = true
    for writer in writers.values { writer.endNow() }
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
    for writer in writers.values { writer.look(at: now) }
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
