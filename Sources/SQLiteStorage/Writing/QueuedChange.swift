internal import Signals
internal import MailingList

/// A change that is waiting for its transaction, with the observer of its outcome.
///
/// Unlike sign-ups, changes are rare, so the cost of an existential call and a lock is acceptable.
protocol QueuedChange: Sendable {
  /// Makes the change within the transaction; called again if the transaction is repeated.
  ///
  /// - Throws: `StoreError`; the writes of the change are then rolled back.
  func run(_ writer: ChangeWriter) throws(StoreError)

  /// Sends the outcome.
  ///
  /// - Parameter error: The reason why nothing was stored; `nil` when the change is durable.
  func end(_ error: StoreError?)
}

/// A change with a result.
final class PendingChange<Value: Sendable>: QueuedChange {
  private let body: @Sendable (ChangeWriter) throws(StoreError) -> Value
  private let observer: Observer<Value, StoreError>
  private let result = Lock<Value?>(nil)

  init(
    _ observer: Observer<Value, StoreError>,
    _ body: @escaping @Sendable (ChangeWriter) throws(StoreError) -> Value
  ) {
    self.observer = observer
    self.body = body
  }

  func run(_ writer: ChangeWriter) throws(StoreError) {
    let value = try body(writer)
    result.withLock { $0 = value }
  }

  func end(_ error: StoreError?) {
    if let error {
      observer.fail(error)
      return
    }
    if let value = result.withLock({ $0 }) { observer.send(value) }
    observer.complete()
  }
}
