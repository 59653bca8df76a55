package import Signals

/// Read access to the event log.
///
/// The function may be called from any thread and does not block; the signal sends on a thread that
/// the reader chooses.
package protocol EventReader: Sendable {
  /// Reads a part of the event log, in the order of positions.
  ///
  /// The signal is cold, sends one part, and fails with `StoreError`.
  ///
  /// - Parameters:
  ///   - position: Only later events are read; 0 starts with the oldest.
  ///   - limit: The maximum number of events, 1 or more.
  func events(after position: Int64, limit: Int) -> Signal<EventPage, StoreError>
}

/// A part of the event log.
package struct EventPage: Hashable, Sendable {
  /// The epoch of all positions.
  package let epoch: String
  /// The position of the newest event; 0 if there has been none.
  package let newest: Int64
  /// Events at consecutive positions.
  package let events: [ListEvent]

  package init(epoch: String, newest: Int64, events: [ListEvent]) {
    self.epoch = epoch
    self.newest = newest
    self.events = events
  }

  /// Returns whether the part continues after a position: if not, events between the two are no
  /// longer stored, or the position has never been reached.
  package func continues(after position: Int64) -> Bool {
    events.first.map { $0.position == position + 1 } ?? (position <= newest)
  }
}
