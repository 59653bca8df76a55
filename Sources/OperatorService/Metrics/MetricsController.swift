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
