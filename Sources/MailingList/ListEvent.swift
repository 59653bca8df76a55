/// A change of the list, as the event log has it.
///
/// The log contains no address: that of the subscriber is read with the event, so that an erasure
/// also removes it from the past.
package struct ListEvent: Hashable, Sendable {
  /// A kind of event; the raw value is the stored one.
  package enum Kind: Int64, Hashable, Sendable, CaseIterable {
    /// A sign-up was stored, whatever the state of the subscriber.
    case requested = 1
    /// The owner confirmed the address.
    case confirmed = 2
    /// The subscriber left, or was unsubscribed by the operator.
    case unsubscribed = 3
    /// The address must not get mail any longer; the detail is the reason.
    case suppressed = 4
    /// A suppression has ended: the person may come back by confirming.
    case released = 5
    /// The subscriber was added or changed by an import or over the API.
    case imported = 6
    /// The subscriber was deleted because the address was never confirmed.
    case expired = 7
    /// The subscriber was deleted at the person's request.
    case erased = 8
    /// A relay accepted a mail; the detail is the kind of mail.
    case mailAccepted = 9
    /// A relay rejected a mail permanently; the detail is the kind of mail.
    case mailRejected = 10

    /// The name in streams, pages and webhooks.
    package var name: String {
      switch self {
      case .requested: "subscriber.requested"
      case .confirmed: "subscriber.confirmed"
      case .unsubscribed: "subscriber.unsubscribed"
      case .suppressed: "subscriber.suppressed"
      case .released: "subscriber.released"
      case .imported: "subscriber.imported"
      case .expired: "subscriber.expired"
      case .erased: "subscriber.erased"
      case .mailAccepted: "mail.accepted"
      case .mailRejected: "mail.rejected"
      }
    }

    /// Parses names and groups, such as `subscriber.confirmed,mail.*`; `nil` if one is unknown.
    package static func kinds(named list: String) -> Set<Kind>? {
      var kinds: Set<Kind> = []
      for name in list.split(separator: ",", omittingEmptySubsequences: false) {
        let named = allCases.filter { kind in
          kind.name == name || name.hasSuffix(".*") && kind.name.hasPrefix(name.dropLast())
        }
        if named.isEmpty { return nil }
        kinds.formUnion(named)
      }
      return kinds
    }
  }

  /// The position in the log, from 1, without gaps.
  package let position: Int64
  package let time: Timestamp
  package let kind: Kind
  package let subscriberID: Int64
  /// The state after the event; before it, if the subscriber was deleted.
  package let state: Subscriber.State
  /// The state before the event; `nil` for a sign-up, and for a person who is new.
  package let previous: Subscriber.State?
  package let actor: EventActor
  package let detail: String?
  /// The subscriber as stored now; `nil` if deleted since.
  package let subscriber: Subscriber?
}

/// The public id of an event, such as `k3f9a2c1-48213`.
///
/// A database that was restored from a backup begins a new epoch, because its positions are given
/// again.
package struct EventID: Hashable, Sendable, CustomStringConvertible {
  package let epoch: String
  /// The position of the event; 0 precedes the first one.
  package let position: Int64

  package init(epoch: String, position: Int64) {
    self.epoch = epoch
    self.position = position
  }

  /// Parses an id; `nil` if it is not one.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let position = Int64(parts[1]), position >= 0,
      "\(position)" == parts[1]
    else { return nil }
    self.init(epoch: String(parts[0]), position: position)
  }

  package var description: String { "\(epoch)-\(position)" }
}

/// The person or program that changed the list.
package enum EventActor: Hashable, Sendable {
  /// Anyone who filled in the form.
  case form
  /// The owner of the address, with a link or a code.
  case owner
  /// The service itself.
  case system
  /// A command of the operator.
  case command
  /// A program with a key of the API.
  case key(id: String)

  /// The text in streams, pages and webhooks.
  package var text: String {
    switch self {
    case .form: "form"
    case .owner: "owner"
    case .system: "system"
    case .command: "cli"
    case .key(let id): "key:\(id)"
    }
  }

  /// Parses a text; `nil` if no release has written it.
  package init?(_ text: String) {
    switch text {
    case "form": self = .form
    case "owner": self = .owner
    case "system": self = .system
    case "cli": self = .command
    case _ where text.hasPrefix("key:"): self = .key(id: String(text.dropFirst(4)))
    default: return nil
    }
  }
}

/// The types of events that a webhook gets.
package struct EventTypes: Hashable, Sendable {
  /// Every change of a subscriber.
  package static let subscribers = EventTypes(
    text: "subscriber.*",
    kinds: Set(ListEvent.Kind.allCases.filter { $0.name.hasPrefix("subscriber.") }))

  /// Names of types and groups of them, separated by commas.
  package let text: String
  private let kinds: Set<ListEvent.Kind>

  private init(text: String, kinds: Set<ListEvent.Kind>) {
    self.text = text
    self.kinds = kinds
  }

  /// Reads names and groups, such as `subscriber.confirmed,mail.*`; `nil` if one is unknown.
  package init?(_ text: String) {
    guard text.utf8.count <= 500, let kinds = ListEvent.Kind.kinds(named: text) else { return nil }
    self.init(text: text, kinds: kinds)
  }

  package func includes(_ kind: ListEvent.Kind) -> Bool { kinds.contains(kind) }
}

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
