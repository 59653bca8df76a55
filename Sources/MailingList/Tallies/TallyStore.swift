package import Signals

/// The numbers of events by the hour and by the day, a consumer of the event log.
///
/// Both functions may be called from any thread and do not block. The signals are cold, and fail
/// with `StoreError`.
package protocol TallyStore: Sendable {
  /// Counts the events that are not counted yet, in parts; the signal sends the number of each.
  ///
  /// Each event is counted once, however many services of a list count: the position of the
  /// consumer changes in the transaction that adds to the tallies. Without new events nothing is
  /// written. Events that the log no longer contains are not counted.
  func countEvents() -> Signal<Int, StoreError>

  /// Reads the tallies from an hour and from a day on, both in hours since 1970.
  func tallies(fromHour hour: Int64, fromDay day: Int64) -> Signal<[Tally], StoreError>
}
