internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Platform
internal import Signals

/// The handler of `GET /metrics`.
///
/// Counting costs a sign-up only an addition; values that must be read are read here.
final class MetricsController: Sendable {
  private let registry: MetricRegistry
  private let counts: RecentCounts
  private let backlog: RecentBacklog
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: OperatorDependencies, counts: RecentCounts, backlog: RecentBacklog) {
    registry = dependencies.registry
    self.counts = counts
    self.backlog = backlog
    scheduler = dependencies.scheduler
    now = dependencies.now
    let statistics = dependencies.list
    registry.observe("enlist_queued_sign_ups") { Double(statistics.queuedSignUps) }
    registry.observe("enlist_wal_bytes") { statistics.logBytes.map(Double.init) }
  }

  @Sendable
  func show(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let samples = combineLatest(subscriberSamples, outboxSamples) { $0 + $1 }
    samples.deliver(on: scheduler).subscribe(next: { [registry] samples in
      var response = Response(status: .ok, body: .bytes(registry.text(adding: samples)))
      response.fields[.contentType] = MetricRegistry.mediaType
      response.fields[.cacheControl] = "no-store"
      exchange.respond(response)
    })
  }

  /// The numbers of subscribers, which are missing if the last attempt to read them failed.
  private var subscriberSamples: Signal<[MetricSample], Never> {
    counts.value.map { byState in
      guard let byState else { return [] }
      return Subscriber.State.allCases.map { state in
        MetricSample(
          "enlist_subscribers", [.init("state", state.name)], Double(byState[state] ?? 0))
      }
    }
  }

  /// The number of waiting mails, which is missing while the store cannot be read in time.
  private var outboxSamples: Signal<[MetricSample], Never> {
    let time = now()
    return backlog.value
      .timeout(after: RecentCounts.readTimeout, on: scheduler, with: .unreachable)
      .map { backlog in
        let age = backlog.oldest.map { oldest in
          max(0, Double(time.millisecondsSince1970) - Double(oldest.millisecondsSince1970)) / 1000
        }
        return [
          MetricSample("enlist_outbox_messages", [], Double(backlog.waiting)),
          MetricSample("enlist_outbox_oldest_seconds", [], age ?? 0),
          MetricSample("enlist_mails_held", [], Double(backlog.held)),
          MetricSample("enlist_relay_elsewhere", [], backlog.isServedElsewhere ? 1 : 0),
        ]
      }
      .replaceError(with: [])
  }
}

/// The numbers of subscribers by state, counted at most once a minute.
///
/// Counting reads the whole list, and the number of requests is not limited.
final class RecentCounts: Sendable {
  /// The time for which the numbers are reused.
  private static let lifetime: Duration = .seconds(60)
  /// The time after which a count that has not ended is repeated.
  private static let countTimeout: Duration = .seconds(600)
  /// The time for which a request waits for the store.
  ///
  /// Prometheus waits 10 seconds for a scrape, which has also read its key.
  static let readTimeout: Duration = .seconds(2)

  private struct Counts {
    /// The end of the last attempt to read the list; `nil` before it.
    var time: Timestamp?
    /// `nil` if the list could not be read.
    var byState: [Subscriber.State: Int]?
    /// Whether another request is reading the numbers.
    var isCounting = false

    /// Returns whether a request must read the numbers.
    func areDue(at now: Timestamp) -> Bool {
      guard !isCounting else { return false }
      guard let time else { return true }
      return now < time || time.adding(RecentCounts.lifetime) <= now
    }
  }

  private let list: any EventReader
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let counts = Lock(Counts())

  init(_ dependencies: OperatorDependencies) {
    list = dependencies.list
    scheduler = dependencies.scheduler
    now = dependencies.now
  }

  /// The numbers, `nil` if the last attempt to read them failed; the signal sends once.
  ///
  /// Concurrent requests cause only one read of the list: the others get the previous numbers, as
  /// does the request whose read takes too long. A failed read is not repeated earlier either,
  /// because it may have taken too long.
  var value: Signal<[Subscriber.State: Int]?, Never> {
    let time = now()
    let (isDue, known) = counts.withLock { counts in
      let isDue = counts.areDue(at: time)
      if isDue { counts.isCounting = true }
      return (isDue, counts)
    }
    guard isDue else { return .just(known.byState) }
    let reading = list.subscriberCounts()
      // A read that never ends must not prevent the next.
      .timeout(after: Self.countTimeout, on: scheduler, with: .unreachable)
      .map { [self] in Counts(time: now(), byState: $0) }
      .catch { [self] _ in Signal<Counts, StoreError>.just(Counts(time: now())) }
      .do(next: { [self] read in counts.withLock { $0 = read } })
      // The count continues after the request has timed out.
      .replay()
    return reading.timeout(after: Self.readTimeout, on: scheduler, with: .unreachable)
      .replaceError(with: known)
      .map(\.byState)
  }
}

/// The number of waiting mails, read at most once per second.
///
/// A store counts up to ``OutboxBacklog/maximumCount`` rows, which takes milliseconds, and the
/// number of requests is not limited. Requests during a read share its result.
final class RecentBacklog: Sendable {
  private struct Read {
    let backlog: Signal<OutboxBacklog, StoreError>
    let time: Timestamp
  }

  /// The time for which the result of a read is reused, as for a store's probe.
  private static let lifetime: Duration = .seconds(1)

  private let backlog: Signal<OutboxBacklog, StoreError>
  private let now: @Sendable () -> Timestamp
  private let last = Lock<Read?>(nil)

  init(_ backlog: Signal<OutboxBacklog, StoreError>, now: @escaping @Sendable () -> Timestamp) {
    self.backlog = backlog
    self.now = now
  }

  /// The result of a read that began within the last second, or of a new one.
  ///
  /// The signal sends one value, or fails if the store cannot be read.
  var value: Signal<OutboxBacklog, StoreError> {
    let time = now()
    return last.withLock { last in
      // A clock that was set back invalidates the result.
      if let last, last.time <= time, time < last.time.adding(Self.lifetime) { return last.backlog }
      let read = Read(backlog: backlog.replayLazily(), time: time)
      last = read
      return read.backlog
    }
  }
}
