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
  let limits: StreamLimits

  private let preferredTransport: StreamTransport
  private let rejections: RejectionLog
  private let admission: StreamAdmission
  private let directTransport: DirectTransport
  private let libraryStreams: LibraryStreamTable
  private var isDraining = false
  private var checksDeadlines = false

  init(_ shared: SharedResources, loop: EventLoop) {
    self.loop = loop
    limits = shared.streams
    preferredTransport = shared.streamTransport
    rejections = shared.rejections
    admission = shared.admission
    directTransport = shared.directTransport
    libraryStreams = LibraryStreamTable(loop: loop)
  }

  /// Returns the transport for a stream on a connection.
  func transport(on connection: OpaquePointer) -> StreamTransport {
    switch preferredTransport {
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
    if !isDraining { rejections.count(.stream) }
    guard request.isEventSource else {
      return .rejected(isDraining ? .draining : .tooManyStreams)
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
  ) -> MHDResponse? {
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
    case .untilClose: made.endWithClose()
    }
    return made
  }

  private func makeTakeover(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> MHDResponse? {
    let takeover = SocketTakeover(
      streams: self,
      connection: connection,
      stream: stream,
      request: request
    )
    // C owns the takeover from here on; `takeoverFreeHandler` releases it.
    let closure = Unmanaged.passRetained(takeover)
    guard
      let made = MHDResponse(
        partBytes: 128,
        reader: takeoverReader,
        closure: closure.toOpaque(),
        free: takeoverFreeHandler
      )
    else {
      closure.release()
      return nil
    }
    // Requests after the stream on this connection are never read.
    made.add("Connection", "close")
    return made
  }

  private func makeLibraryStream(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> MHDResponse? {
    let libraryStream = LibraryStream(
      streams: self,
      connection: connection,
      stream: stream,
      request: request
    )
    // C owns the stream from here on; `streamFreeHandler` releases it.
    let closure = Unmanaged.passRetained(libraryStream)
    guard
      let made = MHDResponse(
        partBytes: 2048,
        reader: streamReader,
        closure: closure.toOpaque(),
        free: streamFreeHandler
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
    loop.schedule(after: limits.deadlineCheckInterval) { [weak self] in
      self?.checkDeadlines()
    }
  }

  private func checkDeadlines() {
    checksDeadlines = false
    let now = loop.now
    libraryStreams.forEach { $0.checkDeadlines(at: now) }
    scheduleDeadlineCheck()
  }
}
