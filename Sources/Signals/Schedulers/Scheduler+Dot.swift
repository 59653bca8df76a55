public import Dispatch

// What a dot offers where a scheduler is expected: `deliver(on: .main)`.

extension Scheduler where Self == MainActorScheduler {
  /// The main actor.
  public static var main: MainActorScheduler { MainActorScheduler() }
}

extension Scheduler where Self == ImmediateScheduler {
  /// The thread that schedules.
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}

extension Scheduler where Self == QueueScheduler {
  /// One serial background queue, shared by all its users.
  public static var background: QueueScheduler { .background }

  /// Makes a scheduler whose work runs on an existing queue, serially.
  ///
  /// - Parameter queue: The queue.
  /// - Returns: The scheduler.
  public static func queue(_ queue: DispatchQueue) -> QueueScheduler {
    QueueScheduler(queue: queue)
  }
}

extension Scheduler {
  /// Makes a scheduler that waits on a clock of the standard library.
  ///
  /// - Parameter clock: The clock, such as `ContinuousClock()`.
  /// - Returns: The scheduler.
  public static func clock<ClockType>(_ clock: ClockType) -> Self
  where Self == ClockScheduler<ClockType> {
    ClockScheduler(clock)
  }
}
