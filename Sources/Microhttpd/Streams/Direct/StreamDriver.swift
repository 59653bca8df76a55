internal import CMicrohttpd
internal import Glibc

/// A driver of the sockets to which a ``DirectStreamWriter`` writes streams.
// @unchecked Sendable because everything except `watch` runs on the loop's thread, and `watch` runs
// before that thread starts.
final class StreamDriver: LoopDriver, @unchecked Sendable {
  /// The maximum number of events per turn.
  private static let maximumEventCount = 64
  /// The data of the events of the loop's eventfd, which no stream has.
  private static let wakeUpData = UInt64.max

  private let writer: DirectStreamWriter
  private var events = [epoll_event](repeating: epoll_event(), count: maximumEventCount)
  private var readyCount = 0

  init(_ writer: DirectStreamWriter) {
    self.writer = writer
  }

  func watch(_ wakeUp: Int32) throws(DaemonError) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLET.rawValue
    event.data.u64 = Self.wakeUpData
    guard epoll_ctl(writer.epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
      throw .system(function: "epoll_ctl", errorNumber: errno)
    }
  }

  func prepareThread() {
    // On Linux the priority is that of the thread, not of the process. If there are few cores,
    // requests take precedence over streams: a sign-up must not wait for ten thousand streams.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
  }

  func wait(atMost milliseconds: Int32) {
    let milliseconds = writer.hasPending ? 0 : milliseconds
    let count = epoll_wait(writer.epoll, &events, Int32(Self.maximumEventCount), milliseconds)
    readyCount = max(0, Int(count))
  }

  func serve() {
    if readyCount > 0 {
      writer.handle(events[..<readyCount].lazy.filter { $0.data.u64 != Self.wakeUpData })
      readyCount = 0
    }
    writer.flushPart()
  }
}
