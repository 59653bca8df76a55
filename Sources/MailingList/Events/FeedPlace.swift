/// A place in the change feed, at which a reader begins or continues.
package enum FeedPlace: Hashable, Sendable {
  /// The end of the log: only what happens from now on.
  case end
  /// The oldest event that is stored.
  case beginning
  case events(after: EventID)
  /// The list as it was at an event, or as it is now, after a subscriber; `nil` before the first
  /// entry.
  case snapshot(EventID?, after: Int64?)
  /// A text that is not a place.
  case invalid

  /// Parses what a reader sends: the id of the last entry, `snapshot`, or `earliest`.
  package init(_ text: String) {
    switch text {
    case "snapshot": self = .snapshot(nil, after: nil)
    case "earliest": self = .beginning
    default:
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard let first = parts.first, let id = EventID(first), parts.count <= 2 else {
        self = .invalid
        return
      }
      guard parts.count == 2 else {
        self = .events(after: id)
        return
      }
      guard let last = Int64(parts[1]), last >= 0, "\(last)" == parts[1] else {
        self = .invalid
        return
      }
      // An entry precedes the first subscriber only if the snapshot has not begun.
      self = .snapshot(id, after: last == 0 ? nil : last)
    }
  }

  /// The event in the id of an entry, and the subscriber while a snapshot is read; `nil` for a
  /// place that no entry has.
  package var id: (event: EventID, subscriber: Int64?)? {
    switch self {
    case .events(let id): (id, nil)
    case .snapshot(let id?, let last): (id, last ?? 0)
    case .end, .beginning, .snapshot(nil, _), .invalid: nil
    }
  }
}

extension FeedPlace: CustomStringConvertible {
  package var description: String {
    guard let id else { return "" }
    return id.subscriber.map { "\(id.event).\($0)" } ?? "\(id.event)"
  }
}
