/// The work that is waiting for its deadline, without what has been disposed.
struct Timetable {
  private var works = DeadlineQueue<DelayedWork>()
  /// The number of works in the queue that have been disposed.
  private var disposedCount = 0
  /// The deadline for which a timer is set; `UInt64.max` for none.
  private var wakeUp = UInt64.max

  mutating func add(_ work: DelayedWork, deadline: UInt64) {
    works.add(work, deadline: deadline)
  }

  /// Removes and returns the work that is due first at a time.
  mutating func takeFirst(at time: UInt64) -> DelayedWork.Work? {
    while let deadline = works.firstDeadline, deadline <= time {
      if let work = works.popFirst()?.take() { return work }
      disposedCount -= 1
    }
    return nil
  }

  /// Returns the deadline for which to set the timer; `nil` if it is set for one before.
  mutating func nextWakeUp() -> UInt64? {
    guard let deadline = works.firstDeadline, deadline < wakeUp else { return nil }
    wakeUp = deadline
    return deadline
  }

  /// Records that the timer has fired.
  mutating func wakeUpIsOver() {
    wakeUp = .max
  }

  /// Counts a disposed work, and removes all of them once they are half of what is waiting.
  ///
  /// It releases no code of users, so it may be called inside a lock: disposed work has released its
  /// closure.
  mutating func removeDisposedWork() {
    disposedCount += 1
    guard disposedCount > 32, disposedCount > works.count / 2 else { return }
    works.removeAll { $0.isDisposed }
    disposedCount = 0
  }
}

/// A scheduler with a timetable.
protocol DelayedWorkOwner: AnyObject, Sendable {
  /// Removes work that has been disposed; called once for each.
  func removeDisposedWork()
}

/// Work that is waiting for its deadline; it keeps its scheduler alive until it begins or is
/// disposed.
final class DelayedWork: Disposable {
  typealias Work = (run: @Sendable () -> Void, owner: any DelayedWorkOwner)

  private let work: Lock<Work?>

  init(_ run: @escaping @Sendable () -> Void, on owner: any DelayedWorkOwner) {
    work = Lock((run, owner))
  }

  var isDisposed: Bool { work.withLock { $0 == nil } }

  func dispose() {
    take()?.owner.removeDisposedWork()
  }

  func take() -> Work? {
    work.withLock { $0.take() }
  }
}
