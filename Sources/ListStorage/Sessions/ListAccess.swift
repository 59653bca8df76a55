package import MailingList
package import Signals

/// The threads that read and change a list.
///
/// Reads do not wait for the writer. All functions may be called from any thread, and none of them
/// blocks; signals send on a thread that the store chooses.
package protocol ListAccess: Sendable {
  /// Returns a cold signal that reads at each subscription.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError>

  /// Returns a cold signal that queues a change at each subscription, and sends the result when it
  /// is durable.
  ///
  /// Disposing the subscription does not cancel the change. The closure is called again if its
  /// transaction is repeated.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError>
}
