/// The number of events of a series in an hour or a day of UTC.
package struct Tally: Hashable, Sendable {
  /// A counted kind of event; the raw value is the stored one.
  package enum Series: String, Hashable, Sendable, CaseIterable {
    case requested
    case confirmed
    case left
    case suppressed
    /// Erased, or expired without a confirmation.
    case deleted
    case imported
    case mailAccepted = "mail_accepted"
    case mailRejected = "mail_rejected"

    /// The series of a kind of event; `nil` if it is not counted.
    init?(_ kind: ListEvent.Kind) {
      switch kind {
      case .requested: self = .requested
      case .confirmed: self = .confirmed
      case .unsubscribed: self = .left
      case .suppressed: self = .suppressed
      case .expired, .erased: self = .deleted
      case .imported: self = .imported
      case .mailAccepted: self = .mailAccepted
      case .mailRejected: self = .mailRejected
      case .released: return nil
      }
    }
  }

  /// The length of the time of a tally; the raw value is its number of hours.
  package enum Resolution: Int64, Hashable, Sendable, CaseIterable {
    case hour = 1
    case day = 24

    /// The beginning of the time that contains an hour, in hours since 1970.
    package func start(ofHour hour: Int64) -> Int64 { hour - hour % rawValue }
  }

  package let series: Series
  package let resolution: Resolution
  /// The beginning, in hours since 1970.
  package let start: Int64
  package let count: Int64

  package init(_ series: Series, _ resolution: Resolution, start: Int64, count: Int64) {
    self.series = series
    self.resolution = resolution
    self.start = start
    self.count = count
  }

  /// Counts events, each in its hour and in its day.
  package static func counting(_ events: [ListEvent]) -> [Tally] {
    struct Key: Hashable {
      let series: Series
      let resolution: Resolution
      let start: Int64
    }
    var counts: [Key: Int64] = [:]
    for event in events {
      guard let series = Series(event.kind) else { continue }
      for resolution in Resolution.allCases {
        let start = resolution.start(ofHour: event.time.hour)
        counts[Key(series: series, resolution: resolution, start: start), default: 0] += 1
      }
    }
    return counts.map { Tally($0.series, $0.resolution, start: $0.start, count: $1) }
      // One order for all replicas, so that two never wait for each other.
      .sorted {
        ($0.resolution.rawValue, $0.start, $0.series.rawValue)
          < ($1.resolution.rawValue, $1.start, $1.series.rawValue)
      }
  }
}
