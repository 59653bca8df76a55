internal import HTTPSignals
internal import MailingList
internal import Platform
internal import Signals

/// The numbers of the board at one moment; `nil` where the store could not be read.
struct BoardNumbers: Sendable {
  /// The time that plot and funnel show.
  enum Period: String, CaseIterable, Sendable {
    case hours = "48h"
    case days = "30d"

    var title: String {
      switch self {
      case .hours: "48 hours"
      case .days: "30 days"
      }
    }

    var resolution: Tally.Resolution {
      switch self {
      case .hours: .hour
      case .days: .day
      }
    }

    /// The number of columns, the last of which is now.
    var count: Int64 {
      switch self {
      case .hours: 48
      case .days: 30
      }
    }
  }

  /// The state of the relay of this process.
  enum Relay: Sendable {
    case working
    case paused
  }

  let now: Timestamp
  /// The time since which problems and executions are counted.
  let start: Timestamp
  let listName: String
  let period: Period
  /// The reason why sign-ups are not stored; `nil` while they are.
  var obstacle: ProblemDetails?
  var subscribers: [Subscriber.State: Int]?
  var backlog: OutboxBacklog?
  var tallies: TallyTable?
  /// The latest events, the newest first.
  var events: [ListEvent]?
  /// `nil` with single opt-in, which sends no mail.
  var relay: Relay?
  /// The webhooks; `nil` also if they could not be read.
  var webhooks: WebhookList?
  /// The problems of responses by their names, the most frequent first.
  var problems: [(name: String, count: Int)] = []
  /// The conditions, in the order of the page.
  var current: [(name: String, text: String)] = []

  /// The beginnings of the columns of the plot.
  var columns: [Int64] {
    let resolution = period.resolution
    let last = resolution.start(ofHour: now.hour)
    return (1 - period.count...0).map { last + $0 * resolution.rawValue }
  }

  /// The numbers of events of a series in the columns of the plot.
  func counts(_ series: Tally.Series) -> [Int] {
    columns.map { tallies?[series, period.resolution, $0] ?? 0 }
  }

  /// The number of events of a series in the period.
  func sum(_ series: Tally.Series) -> Int { counts(series).reduce(0, +) }

  /// The time since the sign-up of the oldest mail that waits.
  var age: Duration? {
    (backlog?.oldest?.millisecondsSince1970).map { oldest in
      // A stored time may be any number.
      .milliseconds(max(now.millisecondsSince1970 - max(oldest, 0), 0))
    }
  }
}

/// The tallies that the board has read.
struct TallyTable: Sendable {
  /// The hours of the board: a day, and the seven before it.
  static let hours: Int64 = 8 * 24

  private struct Key: Hashable {
    let series: Tally.Series
    let resolution: Tally.Resolution
    let start: Int64
  }

  private let counts: [Key: Int]

  init(_ tallies: [Tally]) {
    counts = Dictionary(
      tallies.map { tally in
        (
          Key(series: tally.series, resolution: tally.resolution, start: tally.start),
          // Clamped, so that no sum overflows.
          Int(Int32(clamping: tally.count))
        )
      },
      uniquingKeysWith: { $1 }
    )
  }

  subscript(series: Tally.Series, resolution: Tally.Resolution, start: Int64) -> Int {
    counts[Key(series: series, resolution: resolution, start: start)] ?? 0
  }

  /// The number of events in a number of hours, of which `hour` is the last.
  func sum(_ series: Tally.Series, hours: Int64, through hour: Int64) -> Int {
    (hour - hours + 1...hour).reduce(0) { $0 + self[series, .hour, $1] }
  }

  /// The confirmations per 100 requests in the 24 hours through an hour; `nil` without a request.
  func rate(through hour: Int64) -> Int? {
    let requested = sum(.requested, hours: 24, through: hour)
    guard requested > 0 else { return nil }
    return sum(.confirmed, hours: 24, through: hour) * 100 / requested
  }

  /// The median of the rates of the seven days before; `nil` if there was no request.
  func usualRate(before hour: Int64) -> Int? {
    let rates = (1...7).compactMap { rate(through: hour - 24 * $0) }.sorted()
    return rates.isEmpty ? nil : rates[rates.count / 2]
  }
}

extension BoardNumbers {
  /// Whether the list grows, and with real people: the numbers at the top of the board.
  var cards: [(name: String, value: String, note: String)] {
    var cards: [(name: String, value: String, note: String)] = []
    func add(_ name: String, _ value: Int?, _ note: String) {
      cards.append((name, value?.grouped ?? "–", note))
    }
    let hour = now.hour
    let hasMail = relay != nil
    let week = tallies.map { tallies in
      let new = tallies.sum(hasMail ? .confirmed : .requested, hours: 168, through: hour)
      let left = tallies.sum(.left, hours: 168, through: hour)
      return "\(new.grouped) \(hasMail ? "confirmed" : "signed up"), \(left.grouped) left in 7 days"
    }
    add("Subscribed", subscribers.map { $0[.subscribed] ?? 0 }, week ?? "")
    if hasMail || subscribers?[.pending] ?? 0 > 0 {
      add("Pending", subscribers.map { $0[.pending] ?? 0 }, "not confirmed, not counted")
    }
    add(
      "Sign-ups this hour", tallies?[.requested, .hour, hour],
      tallies.map { "\($0[.requested, .hour, hour - 24].grouped) in this hour yesterday" } ?? "")
    guard hasMail else { return cards }
    add(
      "Confirmed per 100", tallies?.rate(through: hour),
      tallies?.usualRate(before: hour).map { "in 24 hours; usually \($0)" } ?? "in 24 hours")
    let oldest = age.map { "the oldest for \($0.short)" } ?? "nothing is late"
    let held = backlog?.held ?? 0
    let limit = OutboxBacklog.maximumCount
    add("Mail waiting", backlog?.waiting, (backlog?.waiting == limit ? "or more; " : "") + oldest)
    add("Mail held", backlog?.held, held == 0 ? "the budget has room" : "the budget is spent")
    return cards
  }
}

/// The reads of the board.
///
/// Each has a time limit, and a part that cannot be read is missing.
extension Operator {
  private static let eventCount: Int64 = 50

  /// Reads the numbers of the moment; the signal sends them once.
  func numbers(of period: BoardNumbers.Period) -> Signal<BoardNumbers, Never> {
    let time = now()
    let numbers = BoardNumbers(
      now: time, start: start, listName: settings.listName, period: period)
    let tallies = list.read { list throws(StoreError) in
      try list.tallies(
        fromHour: time.hour - TallyTable.hours,
        fromDay: Tally.Resolution.day.start(ofHour: time.hour) - 30 * 24)
    }
    let webhooks = list.read { list throws(StoreError) in try list.webhookTable.webhooks() }
    let obstacle = service.obstacle()
      .promoteError(to: StoreError.self)
      .timeout(after: Self.readTimeout, on: scheduler, with: .unreachable)
      .replaceError(with: nil)
    return combineLatest(
      obstacle, recentCounts.value, recentBacklog.value, limited(tallies),
      combineLatest(limited(latestEvents), limited(webhooks))
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
    read.timeout(after: Self.readTimeout, on: scheduler, with: .unreachable)
      .map { $0 }
      .replaceError(with: nil)
  }

  /// The latest events, the newest first.
  private var latestEvents: Signal<[ListEvent], StoreError> {
    list.read { list throws(StoreError) in
      let newest = try list.events(after: .max, limit: 0).newest
      let first = max(newest - Self.eventCount, 0)
      return try list.events(after: first, limit: Int(Self.eventCount)).events.reversed()
    }
  }

  private func addMetrics(to numbers: inout BoardNumbers) {
    numbers.relay = settings.isMailPaused.map { $0() ? .paused : .working }
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
