internal import HTTPSignals
internal import Signals
internal import Synchronization

/// The thread that writes event streams, once libmicrohttpd has handed them over.
///
/// One for all event loops: what it sends is the same for all, and a request does not wait while
/// ten thousand streams are written.
final class DirectTransport: Sendable {
  private let loop: EventLoop
  private let writer: DirectStreamWriter
  private let admission: StreamAdmission
  private let openCount = Atomic(0)

  /// Makes a loop that is not running.
  ///
  /// - Parameters:
  ///   - configuration: The limits.
  ///   - admission: Where streams are counted out.
  /// - Throws: `DaemonError`, when there is no descriptor left.
  init(configuration: Daemon.Configuration, admission: StreamAdmission) throws(DaemonError) {
    self.admission = admission
    loop = try EventLoop()
    writer = try DirectStreamWriter(loop: loop, configuration: configuration)
    loop.driver = writer
  }

  /// How many streams are open.
  var count: Int { openCount.load(ordering: .relaxed) }

  /// Starts the thread.
  ///
  /// - Throws: `DaemonError`, when there is no thread to be had.
  func start() throws(DaemonError) {
    writer.closed = { [unowned self] client in
      openCount.wrappingSubtract(1, ordering: .relaxed)
      admission.leave(client, .direct)
    }
    try loop.start(name: "enlist-streams")
  }

  /// Writes a stream from now on, to a socket on which its head was sent; from any thread.
  func open(_ stream: EventStream, on socket: StreamSocket, for request: StreamRequest) {
    openCount.wrappingAdd(1, ordering: .relaxed)
    if loop.run({ self.writer.open(stream, on: socket, for: request) }) { return }
    // The loop has stopped since.
    openCount.wrappingSubtract(1, ordering: .relaxed)
    socket.close()
    stream.source?.dispose()
    admission.leave(request.client, .direct)
  }

  /// Ends all streams at random within a time.
  ///
  /// - Parameters:
  ///   - time: How long the last may take.
  ///   - whenIdle: Called when none is open any more.
  func drain(within time: Duration, whenIdle: @escaping @Sendable () -> Void) {
    guard loop.isRunning, loop.run({ self.writer.drain(within: time, whenEmpty: whenIdle) }) else {
      return whenIdle()
    }
  }

  /// Ends all streams now, and the thread.
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
