internal import HTTPSignals
internal import MailingList
internal import Platform
internal import Signals

/// The reads of the board.
///
/// Each has a time limit, and a part that cannot be read is missing.
final class BoardReader: Sendable {
  private static let eventCount: Int64 = 50

  private let list: any OperatorStore
  private let webhooks: (any WebhookStore)?
  private let registry: MetricRegistry
  private let counts: RecentCounts
  private let backlog: RecentBacklog
  private let obstacle: @Sendable () -> Signal<ProblemDetails?, Never>
  private let listName: String
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let start: Timestamp

  init(_ dependencies: OperatorDependencies, counts: RecentCounts, backlog: RecentBacklog) {
    list = dependencies.list
    webhooks = dependencies.webhooks?.store
    registry = dependencies.registry
    self.counts = counts
    self.backlog = backlog
    obstacle = dependencies.shared.obstacle
    listName = dependencies.listName
    scheduler = dependencies.scheduler
    now = dependencies.now
    start = dependencies.now()
  }

  /// Reads the numbers of the moment; the signal sends them once.
  func numbers(of period: BoardNumbers.Period) -> Signal<BoardNumbers, Never> {
    let time = now()
    let numbers = BoardNumbers(now: time, start: start, listName: listName, period: period)
    let tallies = list.tallies(
      fromHour: time.hour - TallyTable.hours,
      fromDay: Tally.Resolution.day.start(ofHour: time.hour) - 30 * 24)
    let obstacle = obstacle()
      .promoteError(to: StoreError.self)
      .timeout(after: RecentCounts.readTimeout, on: scheduler, with: .unreachable)
      .replaceError(with: nil)
    return combineLatest(
      obstacle, counts.value, limited(backlog.value), limited(tallies),
      combineLatest(limited(latestEvents), webhooks.map { limited($0.webhooks()) } ?? .just(nil))
    ) { [self] obstacle, counts, backlog, tallies, latest in
      var numbers = numbers
      numbers.obstacle = obstacle
      numbers.subscribers = counts
      numbers.backlog = backlog
      numbers.tallies = tallies.map(TallyTable.init)
      (numbers.events, numbers.webhooks) = latest
      addMetrics(to: &numbers)
      return numbers
    }
    .deliver(on: scheduler)
  }

  private func limited<Value: Sendable>(_ read: Signal<Value, StoreError>) -> Signal<Value?, Never>
  {
    read.timeout(after: RecentCounts.readTimeout, on: scheduler, with: .unreachable)
      .map { $0 }
      .replaceError(with: nil)
  }

  /// The latest events, the newest first.
  private var latestEvents: Signal<[ListEvent], StoreError> {
    // Nothing follows this position, but the page names the newest one.
    list.events(after: .max, limit: 1).flatMap { [list] page in
      list.events(after: max(page.newest - Self.eventCount, 0), limit: Int(Self.eventCount))
    }
    .map { $0.events.reversed() }
  }

  private func addMetrics(to numbers: inout BoardNumbers) {
    numbers.relay = value("enlist_relay_paused").map { $0 > 0 ? .paused : .working }
    numbers.problems = registry.samples(of: "enlist_problems_total")
      .compactMap { sample in
        sample.labels.first.map { (name: $0.value, count: Int(sample.value)) }
      }
      .filter { $0.count > 0 }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    let executions = registry.samples(of: "enlist_executions_total")
    func ended(_ outcome: String) -> String {
      executions.first { $0.labels.first?.value == outcome }.map { Int($0.value).grouped } ?? "0"
    }
    func show(_ name: String, _ metric: String) {
      guard let value = value(metric) else { return }
      numbers.current.append((name, Int(value).grouped))
    }
    numbers.current = [
      ("Sign-ups stored", ended("completed")), ("Sign-ups failed", ended("failed")),
    ]
    show("Waiting for the database", "enlist_queued_sign_ups")
    show("Connections", "enlist_connections")
    show("Event streams", "enlist_streams")
    for webhook in numbers.webhooks?.webhooks ?? [] {
      let lag = Int(clamping: (numbers.webhooks?.newest ?? 0) - webhook.position)
      let behind = lag + webhook.pendingCount
      let state = webhook.health.status == .active ? "" : "\(webhook.health.status.name), "
      let text = behind > 0 ? "\(behind.of("event")) behind" : "up to date"
      numbers.current.append(("Webhook \(webhook.id)", state + text))
    }
  }

  /// The sum of the values of a metric; `nil` if it has none.
  private func value(_ metric: String) -> Double? {
    let samples = registry.samples(of: metric)
    return samples.isEmpty ? nil : samples.reduce(0) { $0 + $1.value }
  }
}
