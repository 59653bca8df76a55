internal import HTTPSignals
internal import HTTPTypes
internal import Locks
internal import MailingList
internal import Monitoring
internal import Signals

/// The handler of `GET /metrics`.
///
/// Counting costs a sign-up only an addition; values that must be read are read here.
final class MetricsController: Sendable {
  /// The time for which the numbers of subscribers are reused, because counting reads the whole
  /// list.
  private static let countLifetime: Duration = .seconds(60)
  /// The time limit for reading the store.
  ///
  /// Prometheus waits 10 seconds for a scrape, which has also read its key.
  private static let readTimeout: Duration = .seconds(2)

  private struct Counts {
    /// The end of the last attempt to read the list; `nil` before it.
    var time: Timestamp?
    /// `nil` if the list could not be read.
    var byState: [Subscriber.State: Int]?
    /// Whether another scrape is reading the numbers.
    var isCounting = false

    /// Returns whether a scrape must read the numbers.
    func areDue(at now: Timestamp) -> Bool {
      guard !isCounting else { return false }
      guard let time else { return true }
      return now < time || time.adding(MetricsController.countLifetime) <= now
    }
  }

  private let registry: MetricRegistry
  private let list: any EventReader
  private let backlog: RecentBacklog
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let counts = Lock(Counts())

  init(_ dependencies: OperatorDependencies) {
    registry = dependencies.registry
    list = dependencies.list
    backlog = RecentBacklog(dependencies.outbox.backlog(), now: dependencies.now)
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
  ///
  /// Concurrent scrapes cause only one read of the list: the others get the previous numbers, as
  /// does the scrape whose read takes too long. A failed read is not repeated earlier either,
  /// because it may have taken too long.
  private var subscriberSamples: Signal<[MetricSample], Never> {
    let time = now()
    let (isDue, known) = counts.withLock { counts in
      let isDue = counts.areDue(at: time)
      if isDue { counts.isCounting = true }
      return (isDue, counts)
    }
    guard isDue else { return .just(Self.samples(of: known)) }
    let reading = list.subscriberCounts()
      .map { [self] in Counts(time: now(), byState: $0) }
      .catch { [self] _ in Signal<Counts, StoreError>.just(Counts(time: now())) }
      .do(next: { [self] read in counts.withLock { $0 = read } })
      // The count continues after the scrape has timed out.
      .replay()
    return reading.timeout(after: Self.readTimeout, on: scheduler, with: .unreachable)
      .replaceError(with: known)
      .map { Self.samples(of: $0) }
  }

  private static func samples(of counts: Counts) -> [MetricSample] {
    guard let byState = counts.byState else { return [] }
    return Subscriber.State.allCases.map { state in
      MetricSample(
        "enlist_subscribers",
        [.init("state", state.name)],
        Double(byState[state] ?? 0)
      )
    }
  }

  /// The number of waiting mails, which is missing while the store cannot be read in time.
  private var outboxSamples: Signal<[MetricSample], Never> {
    let time = now()
    return backlog.value
      .timeout(after: Self.readTimeout, on: scheduler, with: .unreachable)
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
