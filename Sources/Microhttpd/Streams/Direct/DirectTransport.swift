internal import HTTPSignals
internal import Signals

/// The transport that writes event streams to sockets that were taken over from libmicrohttpd.
///
/// One transport with one thread serves all event loops: the streams of a log share the bytes that
/// they send, and requests do not wait while ten thousand streams are written.
final class DirectTransport: EventStreamTransport, Sendable {
  private let loop: EventLoop
  private let streams: OpenStreams<DirectStream>
  private let driver: StreamDriver
  private let admission: StreamAdmission

  /// Creates a transport whose thread is not running.
  ///
  /// - Throws: `DaemonError` if there is no file descriptor left.
  init(admission: StreamAdmission, _ options: DaemonOptions) throws(DaemonError) {
    self.admission = admission
    loop = try EventLoop()
    streams = OpenStreams(of: .direct, on: loop, admission: admission, options)
    driver = try StreamDriver(streams)
  }

  var kind: StreamTransport { .direct }

  func canServe(_ connection: OpaquePointer) -> Bool { StreamSocket.canTakeOver(connection) }

  /// Starts the thread.
  ///
  /// - Throws: `DaemonError` if the thread cannot be created.
  func start() throws(DaemonError) {
    try loop.start(name: "enlist-streams", driving: driver)
  }

  func makeResponse(to request: StreamRequest, on connection: OpaquePointer) -> MHDResponse? {
    let takeover = SocketTakeover(of: connection, for: request, by: self)
    let made = takeover.makeResponse(framing: request.framing, partBytes: 128)
    // Requests after the stream on this connection are never read.
    made?.add(literal: "Connection", "close")
    return made
  }

  /// Opens a stream on a socket on which the head of its response was sent; callable from any
  /// thread.
  func open(_ request: StreamRequest, on socket: StreamSocket) {
    if loop.run({ self.driver.open(request, on: socket) }) { return }
    // The loop has stopped.
    socket.close()
    release(request)
  }

  /// Releases an admitted stream that could not be opened.
  func release(_ request: StreamRequest) {
    request.stream.source?.dispose()
    admission.leave(request.client, kind)
  }

  func drain(within time: Duration) {
    loop.run { self.streams.drain(within: time) }
  }

  func endAll() {
    loop.run { self.streams.endAll() }
  }

  /// Calls back once no stream is open; immediately if the thread is not running.
  func notifyWhenIdle(_ whenIdle: @escaping @Sendable () -> Void) {
    guard loop.isRunning, loop.run({ self.streams.notifyWhenEmpty(whenIdle) }) else {
      return whenIdle()
    }
  }

  /// Ends all streams and the thread now; calls back when the thread has ended, immediately if it
  /// is not running.
  func stop(_ stopped: @escaping @Sendable () -> Void) {
    let end: @Sendable () -> Void = {
      self.streams.endAll()
      self.loop.stop(stopped)
    }
    guard loop.isRunning, loop.run(end) else { return stopped() }
  }
}
