internal import Logging
internal import MailingList
internal import Synchronization

/// Tells the operator when the store stops storing, why, and when it goes on: a line each time, not
/// one for each sign-up.
final class StorageWatch: Sendable {
  private let logger: Logger
  private let hasFailed = Atomic(false)

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
    // The end of the service is no failure of the store.
    guard error != .closed else { return }
    guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
    logger.error("sign-ups cannot be stored", metadata: ["reason": "\(error)"])
  }

  /// Something was stored.
  func succeeded() {
    guard hasFailed.load(ordering: .relaxed) else { return }
    guard hasFailed.exchange(false, ordering: .relaxed) else { return }
    logger.notice("sign-ups are stored again")
  }
}
