internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals

/// A driver of the sockets to which streams are written directly.
// @unchecked Sendable because everything except `watch` runs on the loop's thread, and `watch` runs
// before that thread starts.
final class StreamDriver: LoopDriver, @unchecked Sendable {
  /// The number of streams that are flushed before new streams, and ready sockets, get their turn.
  private static let flushesPerPart = 32
  /// The maximum number of events per turn.
  private static let maximumEventCount = 64
  /// The data of the events of the loop's eventfd, which no stream has.
  private static let wakeUpData = UInt64.max

  private let streams: OpenStreams<DirectStream>
  private let epoll: Int32
  private var generation: UInt32 = 0
  private var events = [epoll_event](repeating: epoll_event(), count: maximumEventCount)
  private var readyCount = 0

  /// Creates a driver whose turns run on the thread of the streams.
  ///
  /// - Throws: `DaemonError` if there is no file descriptor left.
  init(_ streams: OpenStreams<DirectStream>) throws(DaemonError) {
    self.streams = streams
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .system(function: "epoll_create1", errorNumber: errno) }
  }

  deinit {
    close(epoll)
  }

  /// Opens a stream on a socket on which the head of its response was sent.
  func open(_ request: StreamRequest, on socket: StreamSocket) {
    socket.configure()
    generation &+= 1
    let state = streams.makeState(for: request, on: socket.descriptor)
    streams.add(DirectStream(state, on: socket, in: epoll, generation: generation))
    streams.flush(state.index, at: streams.loop.now)
  }

  // MARK: Turns

  func watch(_ wakeUp: Int32) throws(DaemonError) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLET.rawValue
    event.data.u64 = Self.wakeUpData
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
      throw .system(function: "epoll_ctl", errorNumber: errno)
    }
  }

  func prepareThread() {
    // On Linux the priority is that of the thread, not of the process. If there are few cores,
    // requests take precedence over streams: a sign-up must not wait for ten thousand streams.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
  }

  func wait(atMost milliseconds: Int32) {
    let milliseconds = streams.hasPending ? 0 : milliseconds
    let count = epoll_wait(epoll, &events, Int32(Self.maximumEventCount), milliseconds)
    readyCount = max(0, Int(count))
  }

  func serve() {
    if readyCount > 0 {
      let now = streams.loop.now
      for event in events[..<readyCount] where event.data.u64 != Self.wakeUpData {
        handle(event, at: now)
      }
      readyCount = 0
    }
    streams.flushPart(of: Self.flushesPerPart)
  }

  private func handle(_ event: epoll_event, at now: Duration) {
    let index = Int(event.data.u64 & 0xFFFF_FFFF)
    // Ignore an event of a stream that has been closed, whose index may have been reused.
    guard streams.table.streams[index]?.eventData == event.data.u64 else { return }
    if event.events & EPOLLHUP.rawValue != 0 {
      streams.close(index, because: .client)
    } else if event.events & ~EPOLLOUT.rawValue != 0 {
      // A half-closed client may still be reading.
      streams.end(index, because: .client)
    } else {
      streams.flush(index, at: now)
    }
  }
}
