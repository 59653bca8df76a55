package import Signals

/// The storage of the mailing list.
///
/// Every store passes the same conformance suite. All functions may be called from any thread, and
/// none of them blocks; signals send on a thread that the store chooses.
package protocol SubscriberStore: SubscriberReader {
  /// Adds a sign-up atomically: it stores both the subscriber and the consent, or neither.
  ///
  /// The signal is cold: each subscription stores the sign-up once. It completes only when the
  /// sign-up is durable, that is, when it survives a crash and a power loss. A repeated sign-up for
  /// an address is not an error and never downgrades the subscriber's state.
  ///
  /// - Parameter signUp: The sign-up to store.
  /// - Returns: A signal that completes when the sign-up is durable, or fails when nothing was
  ///   stored.
  func add(_ signUp: SignUp) -> Signal<Never, StoreError>

  /// Reads whether a sign-up with this execution id was ever stored.
  ///
  /// - Parameter id: The public id of the execution.
  /// - Returns: A signal that sends one value, or fails when the store cannot be read.
  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError>

  /// Checks whether the store accepts writes.
  ///
  /// The result is that of the last commit if it is less than a second old, otherwise that of a
  /// probe write, which concurrent callers share.
  ///
  /// - Returns: A signal that completes if the store accepts writes, or fails with the reason.
  func probe() -> Signal<Never, StoreError>

  /// Stops accepting sign-ups, and sends the outcome of every accepted one by a deadline.
  ///
  /// At the deadline, a sign-up that is not being written fails with ``StoreError/closed`` and is
  /// not stored. One that is being written may take longer if the disk does not respond.
  ///
  /// - Parameter time: The time from now to the deadline.
  /// - Returns: A signal that completes when every sign-up has its outcome.
  func finish(within time: Duration) -> Signal<Never, Never>

  /// Stores all accepted sign-ups, then closes; later calls fail with ``StoreError/closed``.
  ///
  /// - Returns: A signal that completes when all files are closed.
  func close() -> Signal<Never, Never>
}

extension SubscriberStore {
  /// Completes immediately: in a store without a queue, every sign-up already has its outcome.
  package func finish(within time: Duration) -> Signal<Never, Never> { .empty }
}
