internal import HTTPSignals
internal import MailingList

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

  /// The number of events of a series in the period.
  func sum(_ series: Tally.Series) -> Int {
    columns.reduce(0) { $0 + (tallies?[series, period.resolution, $1] ?? 0) }
  }

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
