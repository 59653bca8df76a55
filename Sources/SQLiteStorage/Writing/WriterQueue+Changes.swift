internal import MailingList
internal import Signals

extension WriterQueue {
  /// Makes a signal that queues a change at each subscription.
  ///
  /// - Parameter body: Makes the change; called on the writer's thread, within a transaction.
  /// - Returns: A cold signal that sends the result when it is durable. Disposing it does not undo
  ///   the change.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ChangeWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    Signal { observer in
      if let error = self.add(PendingChange(observer, body)) { observer.fail(error) }
      return nil
    }
  }
}
