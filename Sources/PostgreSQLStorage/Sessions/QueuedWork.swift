internal import MailingList
internal import Signals

/// A query that is waiting for the reader's connection.
typealias QueuedQuery = QueuedWork<ListReader>
/// A change, other than a sign-up, that is waiting for the writer's connection.
typealias QueuedChange = QueuedWork<ListWriter>

/// Work that is waiting for a connection.
///
/// Unlike sign-ups, it is rare, so the cost of a few closures is acceptable.
final class QueuedWork<List>: Sendable {
  /// The end of its wait.
  let deadline: ContinuousClock.Instant
  /// Does the work, and returns a closure that sends the result; called again if the connection was
  /// lost and nothing was stored.
  let run: @Sendable (List) throws(StoreError) -> @Sendable () -> Void
  /// Sends the reason why nothing was stored, or that the outcome is undetermined.
  let fail: @Sendable (StoreError) -> Void

  /// Creates work that the connection's thread does.
  init<Value: Sendable>(
    until deadline: ContinuousClock.Instant, _ observer: Observer<Value, StoreError>,
    _ body: @escaping @Sendable (List) throws(StoreError) -> Value
  ) {
    self.deadline = deadline
    run = { (list) throws(StoreError) in
      let value = try body(list)
      return {
        observer.send(value)
        observer.complete()
      }
    }
    fail = { observer.fail($0) }
  }
}
