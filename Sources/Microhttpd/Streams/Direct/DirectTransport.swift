internal import HTTPSignals
internal import Signals
internal import Synchronization

/// The transport that writes event streams to sockets that were taken over from libmicrohttpd.
///
/// One transport with one thread serves all event loops: the streams of a log share the bytes that
/// they send, and requests do not wait while ten thousand streams are written.
final class DirectTransport: EventStreamTransport, Sendable {
  private let loop: EventLoop
  private let writer: DirectStreamWriter
  private let admission: StreamAdmission
  private let openCount = Atomic(0)

  /// Creates a transport whose thread is not running.
  ///
  /// - Throws: `DaemonError` if there is no file descriptor left.
  init(
    limits: StreamLimits,
    admission: StreamAdmission,
    metrics: DaemonMetrics
  ) throws(DaemonError) {
    self.admission = admission
    loop = try EventLoop()
    writer = try DirectStreamWriter(loop: loop, limits: limits, metrics: metrics)
  }

  var kind: StreamTransport { .direct }

  var count: Int { openCount.load(ordering: .relaxed) }

  func canServe(_ connection: OpaquePointer) -> Bool { StreamSocket.canTakeOver(connection) }

  /// Starts the thread.
  ///
  /// - Throws: `DaemonError` if the thread cannot be created.
  func start() throws(DaemonError) {
    writer.closed = { [unowned self] client in
      openCount.wrappingSubtract(1, ordering: .relaxed)
      admission.leave(client, kind)
    }
    try loop.start(name: "enlist-streams", driving: StreamDriver(writer))
  }

  func makeResponse(
    of stream: EventStream,
    for request: StreamRequest,
    on connection: OpaquePointer
  ) -> MHDResponse? {
    let made = makeResponse(
      reading: SocketTakeover(of: connection, for: stream, request, by: self),
      framing: request.framing,
      partBytes: 128,
      reader: takeoverReader,
      free: takeoverFreeHandler
    )
    guard let made else {
      release(stream, for: request)
      return nil
    }
    // Requests after the stream on this connection are never read.
    made.add(literal: "Connection", "close")
    return made
  }

  /// Opens a stream on a socket on which the head of its response was sent; callable from any
  /// thread.
  func open(_ stream: EventStream, on socket: StreamSocket, for request: StreamRequest) {
    openCount.wrappingAdd(1, ordering: .relaxed)
    if loop.run({ self.writer.open(stream, on: socket, for: request) }) { return }
    // The loop has stopped.
    openCount.wrappingSubtract(1, ordering: .relaxed)
    socket.close()
    release(stream, for: request)
  }

  /// Releases an admitted stream that could not be opened.
  func release(_ stream: EventStream, for request: StreamRequest) {
    stream.source?.dispose()
    admission.leave(request.client, kind)
  }

  func drain(within time: Duration) {
    loop.run { self.writer.drain(within: time) }
  }

  func endAll() {
    loop.run { self.writer.endAll() }
  }

  /// Calls back once no stream is open; immediately if the thread is not running.
  func notifyWhenIdle(_ whenIdle: @escaping @Sendable () -> Void) {
    guard loop.isRunning, loop.run({ self.writer.notifyWhenEmpty(whenIdle) }) else {
      return whenIdle()
    }
  }

  /// Ends all streams and the thread now; calls back when the thread has ended, immediately if it
  /// is not running.
  func stop(_ stopped: @escaping @Sendable () -> Void) {
    let isClosed =
      !loop.isRunning
      || !loop.run {
        self.writer.endAll()
        self.loop.stop(stopped)
      }
    if isClosed { stopped() }
  }
}
