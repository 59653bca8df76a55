internal import CMicrohttpd
internal import HTTPSignals
internal import HTTPTypes
internal import Signals

/// All event streams of one event loop: who is let in, how each is written, and when they end.
///
/// A stream is written straight to its socket by another thread (``DirectTransport``) where the
/// socket can be taken over; otherwise libmicrohttpd writes it (``LibraryStream``).
// @unchecked Sendable because what is not constant is touched on the loop's thread only.
final class StreamRegistry: @unchecked Sendable {
  let loop: EventLoop
  let configuration: Daemon.Configuration

  private let admission: StreamAdmission
  private let directTransport: DirectTransport
  private let libraryStreams: LibraryStreamTable
  private var isDraining = false
  private var checksDeadlines = false
  /// Whether the next complaint of libmicrohttpd about a failed response is ours.
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

  /// How many streams are open that libmicrohttpd does not know of, of all loops.
  var directCount: Int { directTransport.count }

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
      return .rejected(isDraining ? .draining : .tooManyStreams)
    }
    // An error would end a browser's EventSource for ever; this makes it come back later.
    return .deferred(EventStream.busyContent)
  }

  /// Whether a stream has a place.
  enum Admission {
    /// It has.
    case admitted
    /// It has not, which is a problem.
    case rejected(ProblemDetails)
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
    // C owns the takeover from here on; `takeoverFreeHandler` takes it back.
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
    // What comes after the stream on this connection is not read.
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
    // C holds the writer from here on; `streamFreeHandler` takes it back.
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
    // Before the first read, so that no event is missed.
    libraryStreams.add(libraryStream)
    scheduleDeadlineCheck()
    return made
  }

  /// Writes a stream to its socket from now on.
  func takeOver(_ stream: EventStream, on socket: StreamSocket, for request: StreamRequest) {
    hasTakenOver = true
    directTransport.open(stream, on: socket, for: request)
  }

  // MARK: Letting go

  /// A stream was counted in and did not come to be, or has ended.
  func closed(_ stream: EventStream, for request: StreamRequest) {
    stream.source?.dispose()
    admission.leave(request.client, request.transport)
  }

  /// A stream that libmicrohttpd wrote has ended.
  func closed(_ stream: LibraryStream) {
    libraryStreams.remove(stream)
  }

  /// Lets nobody in any more, and ends all streams at random within a time.
  func drain(within time: Duration) {
    isDraining = true
    libraryStreams.forEach { $0.end(by: loop.now + time * Double.random(in: 0..<1)) }
  }

  /// Ends all streams now.
  func endAll() {
    isDraining = true
    libraryStreams.forEach { $0.endNow() }
  }

  // MARK: Time

  /// Looks at the clock for as long as streams are open.
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

  /// Whether a message of libmicrohttpd is about a takeover: it takes it for a failure.
  func isExpected(_ message: String) -> Bool {
    // With chunks, and without.
    guard hasTakenOver,
      message.contains("application error generating response")
        || message.contains("application reported error generating data")
    else { return false }
    hasTakenOver = false
    return true
  }
}
