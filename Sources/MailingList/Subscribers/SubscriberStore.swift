package import Signals

/// Where the mailing list is kept.
///
/// Every store passes the same conformance suite. All calls may come from any thread and none
/// blocks; signals send on a thread of the store's choosing.
package protocol SubscriberStore: SubscriberReader {
  /// Stores a sign-up: the subscriber and the consent, both or neither.
  ///
  /// The signal is cold: each subscription stores once. It sends the receipt and completes when
  /// the sign-up survives the death of the process and the loss of power, not before. A repeated
  /// sign-up of an address is no error and never lowers its state.
  ///
  /// - Parameter signUp: What to store.
  /// - Returns: The receipt; or why nothing was stored.
  func add(_ signUp: SignUp) -> Signal<Receipt, StoreError>

  /// Whether a sign-up with this execution id was stored, however long ago.
  ///
  /// - Parameter id: The public id of the execution.
  /// - Returns: One value; or why it cannot be told.
  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError>

  /// Whether the store can store.
  ///
  /// The outcome of the last commit when that is younger than a second, otherwise of a probe write
  /// that all who ask at the same time share.
  ///
  /// - Returns: Completes when it can; or why it cannot.
  func probe() -> Signal<Never, StoreError>

  /// Accepts no more sign-ups, and sends the outcome of each that was accepted by a deadline.
  ///
  /// At the deadline, a sign-up that is not being written fails with ``StoreError/closed`` and will
  /// not be stored. One that is being written may take longer, when the disk does not respond.
  ///
  /// - Parameter time: How long from now.
  /// - Returns: Completes when each sign-up has its outcome.
  func finish(within time: Duration) -> Signal<Never, Never>

  /// Stores what was accepted so far, then closes; later calls fail with ``StoreError/closed``.
  ///
  /// - Returns: Completes when all files are closed.
  func close() -> Signal<Never, Never>
}

extension SubscriberStore {
  /// Completes at once: in a store without a queue, each sign-up has its outcome already.
  package func finish(within time: Duration) -> Signal<Never, Never> { .empty }
}
