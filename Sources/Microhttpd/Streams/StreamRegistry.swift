internal import CMicrohttpd
internal import HTTPSignals
internal import HTTPTypes
internal import Signals

/// The event streams of one event loop: it admits them, chooses their transport, and ends them.
///
/// If the socket of a stream can be taken over, another thread writes the stream directly to it
/// (``DirectTransport``). Otherwise libmicrohttpd writes the stream (``LibraryStream``).
// @unchecked Sendable because mutable state is used on the loop's thread only.
final class StreamRegistry: @unchecked Sendable {
  let loop: EventLoop
  let configuration: Daemon.Configuration

  private let admission: StreamAdmission
  private let directTransport: DirectTransport
  private let libraryStreams: LibraryStreamTable
  private var isDraining = false
  private var checksDeadlines = false
  /// Whether the next message of libmicrohttpd about a failed response is due to a takeover.
  private var hasTakenOver = false

  init(
    loop: EventLoop,
    configuration: Daemon.Configuration,
    admission: StreamAdmission,
    directTransport: DirectTransport
  ) {
    self.loop = loop
    self.configuration = configuration
    self.admission = admission
    self.directTransport = directTransport
    libraryStreams = LibraryStreamTable(loop: loop)
  }

  /// The number of open streams whose sockets were taken over from libmicrohttpd, over all loops.
  var directCount: Int { directTransport.count }

  /// Returns the transport for a stream on a connection.
  func transport(on connection: OpaquePointer) -> Daemon.StreamTransport {
    switch configuration.streamTransport {
    case .direct: StreamSocket.canTakeOver(connection) ? .direct : .library
    case .library: .library
    }
  }

  // MARK: Admission

  /// Admits a stream, unless a limit is reached or the service is draining.
  ///
  /// - Parameters:
  ///   - stream: The stream; its source is disposed of if the stream is not admitted.
  ///   - request: The properties of its request.
  /// - Returns: Whether the stream was admitted, or the response to send instead.
  func admit(_ stream: EventStream, for request: StreamRequest) -> Admission {
    if !isDraining, admission.enter(request.client, request.transport) { return .admitted }
    stream.source?.dispose()
    if !isDraining { configuration.rejections.count(.stream) }
    guard request.isEventSource else {
      return .rejected(isDraining ? configuration.responsePolicy.draining : .tooManyStreams)
    }
    // An error status would permanently stop a browser's EventSource; this makes it retry later.
    return .deferred(EventStream.busyContent)
  }

  /// The outcome of admitting a stream.
  enum Admission {
    /// The stream is admitted.
    case admitted
    /// The stream is rejected with a problem.
    case rejected(ProblemDetails)
    /// The stream is rejected; the content to send instead says when to reconnect.
    case deferred([UInt8])
  }

  /// Makes libmicrohttpd's response for an admitted stream.
  ///
  /// - Returns: The response, which the caller destroys; `nil` if there is not enough memory.
  func makeResponse(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> OpaquePointer? {
    let made =
      switch request.transport {
      case .direct: makeTakeover(of: stream, for: request, on: connection)
      case .library: makeLibraryStream(of: stream, for: request, on: connection)
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

  private func makeTakeover(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> OpaquePointer? {
    let takeover = SocketTakeover(
      streams: self,
      connection: connection,
      stream: stream,
      request: request
    )
    // C owns the takeover from here on; `takeoverFreeHandler` releases it.
    let closure = Unmanaged.passRetained(takeover)
    guard
      let made = MHD_create_response_from_callback(
        .max,
        128,
        takeoverReader,
        closure.toOpaque(),
        takeoverFreeHandler
      )
    else {
      closure.release()
      return nil
    }
    // Requests after the stream on this connection are never read.
    MHD_add_response_header(made, "Connection", "close")
    return made
  }

  private func makeLibraryStream(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> OpaquePointer? {
    let libraryStream = LibraryStream(
      streams: self,
      connection: connection,
      stream: stream,
      request: request
    )
    // C owns the stream from here on; `streamFreeHandler` releases it.
    let closure = Unmanaged.passRetained(libraryStream)
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
    // Follow the log before the first read, so that no event is missed.
    libraryStreams.add(libraryStream)
    scheduleDeadlineCheck()
    return made
  }

  /// Moves a stream to the direct transport, which writes it to its socket from now on.
  func takeOver(_ stream: EventStream, on socket: StreamSocket, for request: StreamRequest) {
    hasTakenOver = true
    directTransport.open(stream, on: socket, for: request)
  }

  // MARK: Closing

  /// Releases an admitted stream that could not be opened or has ended.
  func closed(_ stream: EventStream, for request: StreamRequest) {
    stream.source?.dispose()
    admission.leave(request.client, request.transport)
  }

  /// Removes a stream of libmicrohttpd that has ended.
  func closed(_ stream: LibraryStream) {
    libraryStreams.remove(stream)
  }

  /// Stops admitting streams, and ends those of libmicrohttpd at random moments within a time.
  func drain(within time: Duration) {
    isDraining = true
    libraryStreams.forEach { $0.end(by: loop.now + time * Double.random(in: 0..<1)) }
  }

  /// Stops admitting streams, and ends those of libmicrohttpd now.
  func endAll() {
    isDraining = true
    libraryStreams.forEach { $0.endNow() }
  }

  // MARK: Deadlines

  /// Schedules the next check of the deadlines, if streams are open.
  private func scheduleDeadlineCheck() {
    guard !checksDeadlines, !libraryStreams.isEmpty else { return }
    checksDeadlines = true
    loop.schedule(after: configuration.deadlineCheckInterval) { [weak self] in
      self?.checkDeadlines()
    }
  }

  private func checkDeadlines() {
    checksDeadlines = false
    let now = loop.now
    libraryStreams.forEach { $0.checkDeadlines(at: now) }
    scheduleDeadlineCheck()
  }

  // MARK: Messages

  /// Returns whether a message of libmicrohttpd is about a takeover, which it reports as a failure.
  func isExpected(_ message: String) -> Bool {
    // The messages for streams with chunks and without.
    guard hasTakenOver,
      message.contains("application error generating response")
        || message.contains("application reported error generating data")
    else { return false }
    hasTakenOver = false
    return true
  }
}
