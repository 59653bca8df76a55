internal import CAllocations
internal import Signals

/// Disposes many subscriptions, and checks the time that it takes and the memory that it leaves.
struct ScaleCheck {
  /// Runs both checks, and prints a line for each.
  ///
  /// - Returns: Whether each is within its limit.
  static func run() -> Bool {
    let isQuick = disposesSubscriptions()
    let isSmall = releasesTimeouts()
    return isQuick && isSmall
  }

  /// Disposes live subscriptions of one subject to other signals.
  private static func disposesSubscriptions() -> Bool {
    let subject = Subject<Int, Never>()
    let subscriptions = (0..<50_000).map { _ in Signal<Int, Never>.never.subscribe(subject) }
    let time = ContinuousClock().measure { subscriptions.forEach { $0.dispose() } }
    print("50,000 live subscriptions of a subject: disposed in \(time); the limit is 0.05 seconds")
    return time <= .milliseconds(50)
  }

  /// Subscribes signals with a timeout that end in time.
  private static func releasesTimeouts() -> Bool {
    let before = allocations_live_bytes()
    for _ in 0..<400_000 {
      Signal<Int, Late>.just(1)
        .timeout(after: .seconds(30), on: QueueScheduler.background, with: Late())
        .subscribe()
    }
    let held = max(0, Int(allocations_live_bytes()) - Int(before)) / 1024
    print("400,000 disposed timeouts: \(held) KiB of memory; the limit is 2,048")
    return held < 2_048
  }

  private struct Late: Error {}
}
