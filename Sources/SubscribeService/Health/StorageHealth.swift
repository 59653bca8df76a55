internal import Signals
internal import Logging
internal import MailingList
internal import Synchronization

/// The condition of the store, and the log lines about its changes.
///
/// The log has one line for each change, when the store starts to fail and when it recovers, not
/// one for each sign-up. Repeated failures, for instance of an overloaded store, are logged at most
/// once a minute, so clients that cause them cannot flood the log.
final class StorageHealth: Sendable {
  /// The condition in the last log line, in the order of severity.
  private enum Condition: Int {
    case storing
    /// The store may recover automatically.
    case failing
    /// The store will not recover until the service is restarted.
    case ended
  }

  private struct Lines {
    /// The time of the last line about a failure.
    var last: Duration?
    /// The number of times the store has started to fail since then, without a line in the log.
    var unloggedCount = 0
  }

  private static let pause: Duration = .seconds(60)

  private let logger: Logger
  private let database: String
  private let metrics: StoreErrorMetrics
  private let now: @Sendable () -> Duration
  /// The time of the first failure since the store worked, in milliseconds since 1970; zero while it
  /// works.
  private let failure = Atomic<Int64>(0)
  private let reported = Atomic(Condition.storing.rawValue)
  private let lines = Lock(Lines())

  /// Creates the health of a store that is assumed to work.
  init(
    _ logger: Logger, database: String, metrics: StoreErrorMetrics = StoreErrorMetrics(),
    now: (@Sendable () -> Duration)? = nil
  ) {
    self.logger = logger
    self.database = database
    self.metrics = metrics
    let begin = ContinuousClock.now
    self.now = now ?? { ContinuousClock.now - begin }
  }

  /// The time of the first failure since the store worked; `nil` while it works.
  var failingSince: Timestamp? {
    let time = failure.load(ordering: .relaxed)
    return time == 0 ? nil : Timestamp(millisecondsSince1970: time)
  }

  /// Records that a sign-up was not stored, or that a probe failed.
  func failed(_ error: StoreError) {
    metrics.count(error)
    switch error {
    // Closing is not a storage failure.
    case .closed: return
    case .replaced: reportEnd(error)
    case .executing: return
    case .full, .locked, .readOnly, .damaged, .overloaded, .unreachable, .incompatible,
      .undetermined, .failed, .rejected:
      reportFailure(error)
    }
  }

  /// Records that a request failed because the store could not be read.
  ///
  /// The failure is counted, but does not affect the condition, which depends on whether sign-ups
  /// are stored.
  func readingFailed(_ error: StoreError) {
    metrics.count(error)
  }

  private func noteFailure() {
    let time = Timestamp.now.millisecondsSince1970
    _ = failure.compareExchange(expected: 0, desired: time, ordering: .relaxed)
  }

  private func reportEnd(_ error: StoreError) {
    noteFailure()
    let ended = Condition.ended.rawValue
    guard reported.exchange(ended, ordering: .relaxed) != ended else { return }
    logger.error("sign-ups cannot be stored", metadata: metadata(error))
  }

  private func reportFailure(_ error: StoreError) {
    noteFailure()
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
    var metadata = metadata(error)
    if unloggedCount > 0 { metadata["unlogged"] = "\(unloggedCount)" }
    logger.error("sign-ups cannot be stored", metadata: metadata)
  }

  private func metadata(_ error: StoreError) -> Logger.Metadata {
    ["database": "\(database)", "reason": "\(error)"]
  }

  /// Records that a sign-up was stored, or that a probe succeeded.
  func succeeded() {
    if failure.load(ordering: .relaxed) != 0 { failure.store(0, ordering: .relaxed) }
    guard reported.load(ordering: .relaxed) == Condition.failing.rawValue else { return }
    if replace(.failing, with: .storing) { logger.notice("sign-ups are stored again") }
  }

  /// Replaces the condition if it is the expected one; returns whether it did.
  private func replace(_ expected: Condition, with desired: Condition) -> Bool {
    reported.compareExchange(
      expected: expected.rawValue, desired: desired.rawValue, ordering: .relaxed
    ).exchanged
  }
}
