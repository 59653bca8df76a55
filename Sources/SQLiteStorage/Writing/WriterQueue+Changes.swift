internal import MailingList
internal import Signals

extension WriterQueue {
  /// Returns a cold signal that queues a change at each subscription, and sends the result when it
  /// is durable.
  ///
  /// Disposing the subscription does not cancel the change.
  ///
  /// - Parameter body: Makes the change on the writer's thread, within a transaction.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ChangeWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    Signal { observer in
      if let error = self.add(PendingChange(observer, body)) { observer.fail(error) }
      return nil
    }
  }
}
