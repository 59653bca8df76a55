package import Signals
internal import SignalsTesting

/// A scheduler that runs work immediately, and delayed work when a test advances its time.
///
/// Unlike with `TestScheduler` alone, a store that sends its outcomes on it does not wait for the
/// test.
package final class VirtualDelays: Scheduler {
  private let immediate = ImmediateScheduler()
  private let delayed = TestScheduler()

  /// Makes a scheduler whose time is zero.
  package init() {}

  package var now: Duration { delayed.now }

  /// The amount of delayed work that waits.
  package var pendingCount: Int { delayed.pendingCount }

  /// Advances time, and runs the work that becomes due meanwhile.
  ///
  /// - Parameter duration: The time to advance by.
  package func advance(by duration: Duration) {
    delayed.advance(by: duration)
  }

  package func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    immediate.schedule(work)
  }

  package func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    delayed.schedule(after: delay, work)
  }

  package func schedule(
    after delay: Duration, repeating interval: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    delayed.schedule(after: delay, repeating: interval, work)
  }
}
