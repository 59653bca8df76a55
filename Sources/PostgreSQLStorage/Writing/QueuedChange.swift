internal import ListStorage
internal import MailingList
internal import Signals

/// A change that is not a sign-up, and waits for the writer's connection.
///
/// Unlike sign-ups, changes are rare: they may cost a few closures.
final class QueuedChange: Sendable {
  /// Until when it waits for the connection.
  let deadline: ContinuousClock.Instant
  /// Makes the change, and returns what sends its result; called again if nothing was stored because
  /// the connection was lost.
  let run: @Sendable (ListWriter) throws(StoreError) -> @Sendable () -> Void
  /// Sends why nothing was stored, or that it is not known.
  let fail: @Sendable (StoreError) -> Void

  /// Creates a change that waits.
  ///
  /// - Parameters:
  ///   - deadline: Until when it waits for the connection.
  ///   - body: Makes the change on the writer's thread.
  init<Value: Sendable>(
    until deadline: ContinuousClock.Instant,
    _ observer: Observer<Value, StoreError>,
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) {
    self.deadline = deadline
    run = { (writer) throws(StoreError) in
      let value = try body(writer)
      return {
        observer.send(value)
        observer.complete()
      }
    }
    fail = { observer.fail($0) }
  }
}
