package import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import MailingList
package import Signals
internal import Synchronization

/// The handlers of `GET /livez` and `GET /readyz`, for supervisors of the process.
///
/// Any client may send these requests, before and after a sign-up. So a response contains no number,
/// and no time but that of the outage, which could reveal whether an address is on the list.
extension SignUpService {
  /// A part of the service that may not be ready, as it is named in the response.
  private enum Part: String {
    case storage, schema, draining
  }

  /// Responds for as long as the process runs.
  package func live(_ routed: RoutedExchange) {
    routed.exchange.respond(.json("status", "alive"))
  }

  /// Responds that the service is ready: it is not draining, and the store accepts writes.
  ///
  /// Waiting mails, for instance because the mail server is unavailable, do not matter.
  package func ready(_ routed: RoutedExchange) {
    obstacle().subscribe(next: { problem in
      if let problem {
        routed.exchange.respond(problem)
      } else {
        routed.exchange.respond(.json("status", "ready"))
      }
    })
  }

  /// Sends the reason why the service is not ready, once; `nil` if it is.
  package func obstacle() -> Signal<ProblemDetails?, Never> {
    guard commands.isEnabled.value else {
      let since = drainingSince.withLock { $0 }
      return .just(Self.problem(.commandDisabled, of: .draining, since: since))
    }
    return dependencies.store.probe()
      .do(completed: { [storage] in storage.succeeded() })
      .then { Signal<ProblemDetails?, StoreError>.just(nil) }
      .catch { [storage] error in
        storage.failed(error)
        let part = error == .incompatible ? Part.schema : .storage
        return Signal<ProblemDetails?, Never>.just(
          Self.problem(error.problem, of: part, since: storage.failingSince))
      }
  }

  private static func problem(
    _ problem: ProblemDetails, of part: Part, since: Timestamp?
  ) -> ProblemDetails {
    var problem = problem
    problem.part = part.rawValue
    problem.since = since.map { "\($0)" }
    return problem
  }
}

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
