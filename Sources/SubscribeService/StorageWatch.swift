internal import Logging
internal import MailingList
internal import Synchronization

/// Tells the operator when the store stops storing, why, and when it goes on: a line each time, not
/// one for each sign-up.
final class StorageWatch: Sendable {
  /// What the operator knows; the order is that of severity.
  private enum Condition: Int {
    case storing
    /// It may go on by itself.
    case failing
    /// It goes on when the service is started again.
    case ended
  }

  private let logger: Logger
  private let known = Atomic(Condition.storing.rawValue)

  /// Makes a watch over a store that is taken to be fine.
  ///
  /// - Parameter logger: Where it tells.
  init(_ logger: Logger) {
    self.logger = logger
  }

  /// Something was not stored.
  ///
  /// - Parameter error: Why.
  func failed(_ error: StoreError) {
    let condition: Condition
    switch error {
    // The end of the service is no failure of the store.
    case .closed: return
    case .replaced: condition = .ended
    case .full, .locked, .readOnly, .damaged, .overloaded, .failed: condition = .failing
    }
    let (before, _) = known.max(condition.rawValue, ordering: .relaxed)
    guard before < condition.rawValue else { return }
    logger.error("sign-ups cannot be stored", metadata: ["reason": "\(error)"])
  }

  /// Something was stored.
  func succeeded() {
    let failing = Condition.failing.rawValue
    guard known.load(ordering: .relaxed) == failing else { return }
    let (isOver, _) = known.compareExchange(
      expected: failing,
      desired: Condition.storing.rawValue,
      ordering: .relaxed
    )
    if isOver { logger.notice("sign-ups are stored again") }
  }
}
