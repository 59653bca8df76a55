internal import CMicrohttpd
internal import HTTPSignals
internal import HTTPTypes
internal import Signals

/// All event streams of one event loop: who is let in, how each is written, and when they end.
///
/// A stream is written straight to its socket (``StreamHub``) where ``HandoverTrial`` has passed;
/// otherwise, and with TLS, libmicrohttpd writes it (``EventStreamWriter``).
// @unchecked Sendable because what is not constant is touched on the loop's thread only.
final class EventStreams: @unchecked Sendable {
  let loop: EventLoop
  let configuration: Daemon.Configuration
  /// Called when no stream is open any more.
  var whenEmpty: () -> Void = {}

  private let admission: StreamAdmission
  private let hub: StreamHub
  private let isDirect: Bool
  private var writers: [ObjectIdentifier: EventStreamWriter] = [:]
  private var isDraining = false
  private var looksAtClock = false
  /// Whether the next complaint of libmicrohttpd about a failed response is ours.
  private var hasHandedOver = false

  init(
    loop: EventLoop,
    configuration: Daemon.Configuration,
    admission: StreamAdmission
  ) throws(DaemonError) {
    self.loop = loop
    self.configuration = configuration
    self.admission = admission
    // What is written past libmicrohttpd is not encrypted.
    isDirect =
      configuration.identity == nil && configuration.streamTransport == .direct
      && HandoverTrial.hasPassed
    hub = try StreamHub(loop: loop, configuration: configuration)
    hub.closed = { [unowned self] client in
      admission.leave(client)
      callWhenEmpty()
    }
    if isDirect { loop.background = hub }
  }

  /// How many streams are open that libmicrohttpd does not know of.
  var directCount: Int { hub.count }

  private var isEmpty: Bool { hub.count == 0 && writers.isEmpty }

  private func callWhenEmpty() {
    if isEmpty { whenEmpty() }
  }

  // MARK: Letting in

  /// Counts a stream in.
  ///
  /// - Parameters:
  ///   - stream: The stream; disposed when there is no place for it.
  ///   - request: What it answers.
  /// - Returns: What is answered instead, when there is no place for it.
  func admit(_ stream: EventStream, for request: StreamRequest) -> Response? {
    if !isDraining, admission.enter(request.client) { return nil }
    stream.source?.dispose()
    guard request.isEventSource else {
      return (isDraining ? ProblemDetails.draining : .tooManyStreams).response
    }
    // An error would end a browser's EventSource for ever; this makes it come back later.
    var response = stream.response
    response.fields[.connection] = "close"
    let retry = Int.random(in: 20_000...40_000)
    response.body = .bytes(Array("retry: \(retry)\n: busy\n".utf8))
    return response
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
    hub.open(stream, on: socket, for: request)
    startClock()
  }

  // MARK: Letting go

  /// A stream was counted in and did not come to be, or has ended.
  func closed(_ stream: EventStream, for request: StreamRequest) {
    stream.source?.dispose()
    admission.leave(request.client)
    callWhenEmpty()
  }

  /// A stream that libmicrohttpd wrote has ended.
  func closed(_ writer: EventStreamWriter) {
    writers[ObjectIdentifier(writer)] = nil
  }

  /// Lets nobody in any more, and ends all streams at random within a time.
  func drain(within time: Duration) {
    isDraining = true
    hub.end(within: time)
    for writer in writers.values {
      writer.end(by: loop.now + time * Double.random(in: 0..<1))
    }
  }

  /// Ends all streams now.
  func endAll() {
    isDraining = true
    hub.endAll()
    for writer in writers.values { writer.endNow() }
  }

  // MARK: Time

  /// Looks at the clock for as long as streams are open.
  private func startClock() {
    guard !looksAtClock else { return }
    looksAtClock = true
    let shortest = min(configuration.heartbeat, configuration.streamStall)
    let pause = min(max(shortest / 8, .milliseconds(5)), .milliseconds(50))
    loop.schedule(after: pause) { [weak self] in self?.lookAtClock() }
  }

  private func lookAtClock() {
    looksAtClock = false
    hub.lookAtClock()
    let now = loop.now
    for writer in writers.values { writer.look(at: now) }
    if !isEmpty { startClock() }
  }

  // MARK: Messages

  /// Whether a message of libmicrohttpd is about a handover: it takes it for a failure.
  func isExpected(_ message: String) -> Bool {
    guard hasHandedOver, message.contains("application error generating response") else {
      return false
    }
    hasHandedOver = false
    return true
  }
}
