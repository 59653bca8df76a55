internal import HTTPSignals
internal import Signals
internal import Synchronization

/// The transport that writes event streams to sockets that were taken over from libmicrohttpd.
///
/// It has one thread for all event loops: the streams of a log share the bytes that they send, and
/// requests do not wait while ten thousand streams are written.
final class DirectTransport: Sendable {
  private let loop: EventLoop
  private let writer: DirectStreamWriter
  private let admission: StreamAdmission
  private let openCount = Atomic(0)

  /// Creates a transport whose thread is not running.
  ///
  /// - Parameters:
  ///   - limits: The heartbeats, lifetimes and stalls of streams.
  ///   - admission: The counts from which streams are removed when they end.
  /// - Throws: `DaemonError` if there is no file descriptor left.
  init(limits: StreamLimits, admission: StreamAdmission) throws(DaemonError) {
    self.admission = admission
    loop = try EventLoop()
    writer = try DirectStreamWriter(loop: loop, limits: limits)
  }

  /// The number of open streams.
  var count: Int { openCount.load(ordering: .relaxed) }

  /// Starts the thread.
  ///
  /// - Throws: `DaemonError` if the thread cannot be created.
  func start() throws(DaemonError) {
    writer.closed = { [unowned self] client in
      openCount.wrappingSubtract(1, ordering: .relaxed)
      admission.leave(client, .direct)
    }
    try loop.start(name: "enlist-streams", driving: StreamDriver(writer))
  }

  /// Opens a stream on a socket on which the head of its response was sent; callable from any
  /// thread.
  func open(_ stream: EventStream, on socket: StreamSocket, for request: StreamRequest) {
    openCount.wrappingAdd(1, ordering: .relaxed)
    if loop.run({ self.writer.open(stream, on: socket, for: request) }) { return }
    // The loop has stopped.
    openCount.wrappingSubtract(1, ordering: .relaxed)
    socket.close()
    stream.source?.dispose()
    admission.leave(request.client, .direct)
  }

  /// Ends all streams at random moments within a time.
  ///
  /// - Parameters:
  ///   - time: The time by which the last stream ends.
  ///   - whenIdle: Called when no stream is open; called immediately if the thread is not running.
  func drain(within time: Duration, whenIdle: @escaping @Sendable () -> Void) {
    guard loop.isRunning, loop.run({ self.writer.drain(within: time, whenEmpty: whenIdle) }) else {
      return whenIdle()
    }
  }

  /// Ends all streams and the thread now.
  ///
  /// - Parameter stopped: Called when the thread ends; called immediately if it is not running.
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
