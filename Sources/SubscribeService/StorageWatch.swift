internal import Locks
internal import Logging
internal import MailingList
internal import Synchronization

/// Tells the operator when the store stops storing, why, and when it goes on: a line each time, not
/// one for each sign-up.
///
/// A store that fails now and then, as one that has too much to do, is told once a minute: who
/// makes it fail by signing up does not write the log.
final class StorageWatch: Sendable {
  private struct Lines {
    /// When a failure was last logged.
    var last: Duration?
    /// How many times the store has begun to fail and was not logged since.
    var unloggedCount = 0
  }

  private static let pause: Duration = .seconds(60)

  private let logger: Logger
  private let now: @Sendable () -> Duration
  /// Whether the last line says that the store has failed.
  private let isReported = Atomic(false)
  private let lines = Lock(Lines())

  /// Makes a watch over a store that is taken to be fine.
  ///
  /// - Parameters:
  ///   - logger: Where it tells.
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
    // The end of the service is no failure of the store.
    guard error != .closed, !isReported.load(ordering: .relaxed) else { return }
    let now = now()
    let unloggedCount: Int? = lines.withLock { lines in
      if let last = lines.last, now - last < Self.pause {
        lines.unloggedCount += 1
        return nil
      }
      defer { lines.unloggedCount = 0 }
      lines.last = now
      isReported.store(true, ordering: .relaxed)
      return lines.unloggedCount
    }
    guard let unloggedCount else { return }
    var metadata: Logger.Metadata = ["reason": "\(error)"]
    if unloggedCount > 0 { metadata["unlogged"] = "\(unloggedCount)" }
    logger.error("sign-ups cannot be stored", metadata: metadata)
  }

  /// Something was stored.
  func succeeded() {
    guard isReported.load(ordering: .relaxed) else { return }
    guard isReported.exchange(false, ordering: .relaxed) else { return }
    logger.notice("sign-ups are stored again")
  }
}
