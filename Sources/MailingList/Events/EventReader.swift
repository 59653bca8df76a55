package import Signals

/// Read access to the list and its event log, from which a program makes a copy of the list.
///
/// The functions may be called from any thread and do not block; the signals are cold, send one
/// value on a thread that the reader chooses, and fail with `StoreError`.
package protocol EventReader: SubscriberReader {
  /// Counts the subscribers of each state; a state without subscribers is missing.
  ///
  /// This reads the whole list, which takes some hundred milliseconds for a million subscribers. A
  /// subscriber that changes meanwhile may be counted in the old or in the new state.
  func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError>

  /// Reads a part of the event log, in the order of positions.
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
