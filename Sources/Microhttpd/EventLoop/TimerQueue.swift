internal import Signals
internal import Synchronization

/// A timer of an event loop: work that it runs at a certain time, once or repeatedly.
// @unchecked Sendable because `deadline` is used on the loop's thread only.
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

  /// Cancels the timer; the queue keeps it until its deadline, because a loop has few timers.
  func dispose() {
    disposed.store(true, ordering: .releasing)
  }

  /// Runs the work, unless the timer was canceled.
  func run() {
    guard !isDisposed else { return }
    if interval == nil { dispose() }
    work()
  }
}

/// The timers of an event loop, ordered by deadline; the next timer is the last element.
struct TimerQueue {
  private var timers: [LoopTimer] = []

  var nextDeadline: Duration? { timers.last?.deadline }

  mutating func insert(_ timer: LoopTimer) {
    // Timers with equal deadlines run in the order in which they were inserted.
    let index = timers.firstIndex { $0.deadline <= timer.deadline } ?? timers.endIndex
    timers.insert(timer, at: index)
  }

  mutating func runDue(at now: Duration) {
    while let timer = timers.last, timer.deadline <= now {
      timers.removeLast()
      if let interval = timer.interval, !timer.isDisposed {
        timer.deadline += interval
        // Skip repetitions that were missed: work that compares two checks relies on other work
        // having run between them.
        if timer.deadline <= now { timer.deadline = now + interval }
        insert(timer)
      }
      timer.run()
    }
  }
}
