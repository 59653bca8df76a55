internal import HTTPSignals
internal import HTTPTypes
internal import Locks
internal import MailingList
internal import Monitoring
internal import Signals

/// The handler of `GET /metrics`.
///
/// Counting costs a sign-up nothing but an addition; what has to be read, is read here.
final class MetricsController: Sendable {
  /// How long the numbers of subscribers are used, because counting reads the whole list.
  private static let countLifetime: Duration = .seconds(60)

  private struct Counts {
    let time: Timestamp
    let byState: [Subscriber.State: Int]
  }

  private let gate: KeyGate
  private let access: OperatorDependencies.MetricsAccess
  private let registry: MetricRegistry
  private let statistics: any StoreStatistics
  private let outbox: any Outbox
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let counts = Lock<Counts?>(nil)

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - dependencies: The metrics, and what is read for them.
  ///   - gate: Checks keys.
  init(_ dependencies: OperatorDependencies, gate: KeyGate) {
    self.gate = gate
    access = dependencies.metricsAccess
    registry = dependencies.registry
    statistics = dependencies.statistics
    outbox = dependencies.outbox
    scheduler = dependencies.scheduler
    now = dependencies.now
    let statistics = dependencies.statistics
    registry.observe("enlist_queued_sign_ups") { Double(statistics.queuedSignUps) }
    registry.observe("enlist_wal_bytes") { statistics.logBytes.map(Double.init) }
  }

  @Sendable
  func show(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    switch access {
    case .open: respond(to: exchange)
    case .key: gate.authorize(exchange, for: .metrics) { self.respond(to: exchange) }
    }
  }

  private func respond(to exchange: Exchange) {
    let samples = combineLatest(subscriberSamples, outboxSamples) { $0 + $1 }
    samples.deliver(on: scheduler).subscribe(next: { [registry] samples in
      var response = Response(status: .ok, body: .bytes(registry.text(adding: samples)))
      response.fields[.contentType] = MetricRegistry.mediaType
      response.fields[.cacheControl] = "no-store"
      exchange.respond(response)
    })
  }

  /// The numbers of subscribers, which are missing while the store cannot be read.
  private var subscriberSamples: Signal<[MetricSample], Never> {
    let time = now()
    let known = counts.withLock { counts in
      counts.flatMap { counts in
        let end = counts.time.adding(Self.countLifetime)
        return counts.time <= time && time < end ? counts.byState : nil
      }
    }
    if let known { return .just(Self.samples(of: known)) }
    return statistics.subscriberCounts()
      .map { byState in
        self.counts.withLock { $0 = Counts(time: time, byState: byState) }
        return Self.samples(of: byState)
      }
      .replaceError(with: [])
  }

  private static func samples(of counts: [Subscriber.State: Int]) -> [MetricSample] {
    Subscriber.State.allCases.map { state in
      MetricSample(
        "enlist_subscribers",
        [.init("state", state.name)],
        Double(counts[state] ?? 0)
      )
    }
  }

  /// The mails that wait, which are missing while the store cannot be read.
  private var outboxSamples: Signal<[MetricSample], Never> {
    let time = now()
    return outbox.backlog()
      .map { backlog in
        let age = backlog.oldest.map { oldest in
          max(0, Double(time.millisecondsSince1970 - oldest.millisecondsSince1970) / 1000)
        }
        return [
          MetricSample("enlist_outbox_messages", [], Double(backlog.waiting)),
          MetricSample("enlist_outbox_oldest_seconds", [], age ?? 0),
        ]
      }
      .replaceError(with: [])
  }
}
