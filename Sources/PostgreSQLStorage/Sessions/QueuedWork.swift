internal import ListStorage
internal import MailingList
internal import Signals

/// A query that waits for the reader's connection.
typealias QueuedQuery = QueuedWork<ListReader>
/// A change that is not a sign-up, and waits for the writer's connection.
typealias QueuedChange = QueuedWork<ListWriter>

/// Work that waits for a connection.
///
/// Unlike sign-ups, it is rare: it may cost a few closures.
final class QueuedWork<List>: Sendable {
  /// The end of its wait.
  let deadline: ContinuousClock.Instant
  /// Does the work, and returns a closure that sends the result; called again if the connection was
  /// lost and nothing was stored.
  let run: @Sendable (List) throws(StoreError) -> @Sendable () -> Void
  /// Sends the reason why nothing was done, or that the outcome is not known.
  let fail: @Sendable (StoreError) -> Void

  /// - Parameter body: Does the work on the connection's thread.
  init<Value: Sendable>(
    until deadline: ContinuousClock.Instant,
    _ observer: Observer<Value, StoreError>,
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
