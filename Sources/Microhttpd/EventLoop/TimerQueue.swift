internal import Signals
internal import Synchronization

/// Work that an event loop runs at a time, once or again and again.
// @unchecked Sendable because `deadline` is touched on the loop's thread only.
final class LoopTimer: Disposable, @unchecked Sendable {
  fileprivate(set) var deadline: Duration
  fileprivate let interval: Duration?
  private let work: @Sendable () -> Void
  private let disposed = Atomic(false)

  init(deadline: Duration, interval: Duration?, _ work: @escaping @Sendable () -> Void) {
    self.deadline = deadline
    self.interval = interval
    self.work = work
  }

  var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  /// The timer is dropped when its time comes; a loop has few of them.
  func dispose() {
    disposed.store(true, ordering: .releasing)
  }

  /// Does the work, unless it was canceled.
  func run() {
    guard !isDisposed else { return }
    if interval == nil { dispose() }
    work()
  }
}

/// The timers of an event loop, the next one last.
struct TimerQueue {
  private var timers: [LoopTimer] = []

  var nextDeadline: Duration? { timers.last?.deadline }

  mutating func insert(_ timer: LoopTimer) {
    // After those of the same time, so that equal deadlines keep their order.
    let index = timers.firstIndex { $0.deadline <= timer.deadline } ?? timers.endIndex
    timers.insert(timer, at: index)
  }

  mutating func runDue(at now: Duration) {
    while let timer = timers.last, timer.deadline <= now {
      timers.removeLast()
      if let interval = timer.interval, !timer.isDisposed {
        timer.deadline += interval
        // Who was kept from running does not make up for it: work that looks at something twice is
        // to find that others have had a turn between.
        if timer.deadline <= now { timer.deadline = now + interval }
        insert(timer)
      }
      timer.run()
    }
  }
}
