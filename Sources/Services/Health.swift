package import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import MailingList
internal import Platform
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

/// The condition of the store, and the counter and the log lines of its failures.
///
/// The log has one line for each change, when the store starts to fail and when it recovers, not
/// one for each sign-up. Repeated failures, for instance of an overloaded store, are logged at most
/// once a minute, so clients that cause them cannot flood the log.
final class StorageHealth: Sendable {
  /// A kind of failure in the metrics.
  private enum Kind: String, CaseIterable {
    case full, locked
    case readOnly = "read-only"
    case damaged, replaced, overloaded, unreachable, incompatible, undetermined, failed

    /// `nil` for what is not a failure of the store.
    init?(_ error: StoreError) {
      switch error {
      case .full: self = .full
      case .locked: self = .locked
      case .readOnly: self = .readOnly
      case .damaged: self = .damaged
      case .replaced: self = .replaced
      case .overloaded: self = .overloaded
      case .failed, .rejected: self = .failed
      case .unreachable: self = .unreachable
      case .incompatible: self = .incompatible
      case .undetermined: self = .undetermined
      case .closed, .executing: return nil
      }
    }
  }

  /// The condition in the last log line.
  private enum Condition {
    case storing
    /// The store may recover automatically.
    case failing
    /// The store will not recover until the service is restarted.
    case ended
  }

  private struct State {
    var condition = Condition.storing
    /// The time of the first failure since the store worked; `nil` while it works.
    var failingSince: Timestamp?
    /// The time of the last line about a failure.
    var lastLine: Duration?
    /// The number of times the store has started to fail since then, without a line in the log.
    var unloggedCount = 0
  }

  private static let pause: Duration = .seconds(60)

  private let logger: Logger
  private let database: String
  private let errors: CounterFamily<Kind>
  private let now: @Sendable () -> Duration
  private let state = Lock(State())
  /// Whether there was a failure since the store worked; usually, sign-ups need no lock.
  private let hasFailed = Atomic(false)

  /// Creates the health of a store that is assumed to work.
  init(
    _ logger: Logger, database: String, metrics: MetricRegistry = MetricRegistry(),
    now: (@Sendable () -> Duration)? = nil
  ) {
    self.logger = logger
    self.database = database
    errors = CounterFamily("enlist_store_errors_total", by: "error", metrics)
    let begin = ContinuousClock.now
    self.now = now ?? { ContinuousClock.now - begin }
  }

  /// The time of the first failure since the store worked; `nil` while it works.
  var failingSince: Timestamp? { state.withLock { $0.failingSince } }

  /// Records that a sign-up was not stored, or that a probe failed.
  func failed(_ error: StoreError) {
    guard let kind = Kind(error) else { return }
    errors.count(kind)
    let time = now()
    let unloggedCount: Int? = state.withLock { state in
      hasFailed.store(true, ordering: .relaxed)
      state.failingSince = state.failingSince ?? Timestamp.now
      if kind == .replaced {
        defer { state.condition = .ended }
        return state.condition == .ended ? nil : 0
      }
      guard state.condition == .storing else { return nil }
      if let last = state.lastLine, time - last < Self.pause {
        state.unloggedCount += 1
        return nil
      }
      defer { state.unloggedCount = 0 }
      (state.condition, state.lastLine) = (.failing, time)
      return state.unloggedCount
    }
    guard let unloggedCount else { return }
    var metadata: Logger.Metadata = ["database": "\(database)", "reason": "\(error)"]
    if unloggedCount > 0 { metadata["unlogged"] = "\(unloggedCount)" }
    logger.error("sign-ups cannot be stored", metadata: metadata)
  }

  /// Records that a request failed because the store could not be read.
  ///
  /// The failure is counted, but does not affect the condition, which depends on whether sign-ups
  /// are stored.
  func readingFailed(_ error: StoreError) {
    if let kind = Kind(error) { errors.count(kind) }
  }

  /// Records that a sign-up was stored, or that a probe succeeded.
  func succeeded() {
    guard hasFailed.load(ordering: .relaxed) else { return }
    let isRecovery = state.withLock { state in
      hasFailed.store(false, ordering: .relaxed)
      state.failingSince = nil
      guard state.condition == .failing else { return false }
      state.condition = .storing
      return true
    }
    if isRecovery { logger.notice("sign-ups are stored again") }
  }
}
