internal import Locks
internal import Logging
internal import MailingList
internal import Synchronization

/// Logs when the store stops storing, why, and when it recovers: one line each time, not one for
/// each sign-up.
///
/// A store that fails again and again, because it is overloaded for instance, is logged at most once
/// a minute, so clients that make it fail cannot write the log.
final class StorageHealth: Sendable {
  /// What the last line said; the order is that of severity.
  private enum Condition: Int {
    case storing
    /// The store may recover without help.
    case failing
    /// The store recovers only when the service is restarted.
    case ended
  }

  private struct Lines {
    /// When a failure was last logged.
    var last: Duration?
    /// How many times the store has begun to fail since, without a line.
    var unloggedCount = 0
  }

  private static let pause: Duration = .seconds(60)

  private let logger: Logger
  private let now: @Sendable () -> Duration
  private let reported = Atomic(Condition.storing.rawValue)
  private let lines = Lock(Lines())

  /// Makes a watch over a store that is assumed to work.
  ///
  /// - Parameters:
  ///   - logger: Where it logs.
  ///   - now: A clock that never goes back.
  init(_ logger: Logger, now: (@Sendable () -> Duration)? = nil) {
    self.logger = logger
    let begin = ContinuousClock.now
    self.now = now ?? { ContinuousClock.now - begin }
  }

  /// Something was not stored.
  ///
  /// - Parameter error: Why.
  func failed(_ error: StoreError) {
    switch error {
    // Closing is not a storage failure.
    case .closed: return
    case .replaced: reportEnd(error)
    case .full, .locked, .readOnly, .damaged, .overloaded, .failed: reportFailure(error)
    }
  }

  private func reportEnd(_ error: StoreError) {
    let ended = Condition.ended.rawValue
    guard reported.exchange(ended, ordering: .relaxed) != ended else { return }
    logger.error("sign-ups cannot be stored", metadata: ["reason": "\(error)"])
  }

  private func reportFailure(_ error: StoreError) {
    guard reported.load(ordering: .relaxed) == Condition.storing.rawValue else { return }
    let now = now()
    let unloggedCount: Int? = lines.withLock { lines in
      if let last = lines.last, now - last < Self.pause {
        lines.unloggedCount += 1
        return nil
      }
      guard replace(.storing, with: .failing) else { return nil }
      defer { lines.unloggedCount = 0 }
      lines.last = now
      return lines.unloggedCount
    }
    guard let unloggedCount else { return }
    var metadata: Logger.Metadata = ["reason": "\(error)"]
    if unloggedCount > 0 { metadata["unlogged"] = "\(unloggedCount)" }
    logger.error("sign-ups cannot be stored", metadata: metadata)
  }

  /// Something was stored.
  func succeeded() {
    guard reported.load(ordering: .relaxed) == Condition.failing.rawValue else { return }
    if replace(.failing, with: .storing) { logger.notice("sign-ups are stored again") }
  }

  /// Whether the condition was the expected one, and is now the other.
  private func replace(_ expected: Condition, with desired: Condition) -> Bool {
    reported.compareExchange(
      expected: expected.rawValue,
      desired: desired.rawValue,
      ordering: .relaxed
    ).exchanged
  }
}
