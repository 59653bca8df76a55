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
  func enroll(_ signUp: SignUp) -> Signal<Receipt, StoreError>

  /// Whether a sign-up with this execution id was stored, however long ago.
  ///
  /// - Parameter id: The public id of the execution.
  /// - Returns: One value; or why it cannot be told.
  func hasStored(_ id: SignUpID) -> Signal<Bool, StoreError>

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

/// Why a store did not do what it was asked to; nothing is half stored then.
package enum StoreError: Error, Hashable, Sendable {
  /// No space, or no permission to take more of it.
  case full
  /// Another process held its lock for longer than the busy timeout.
  case locked
  /// It may only be read.
  case readOnly
  /// Its content is not what the store wrote.
  case damaged
  /// Its files were removed or replaced while it was open; it stores nothing any more.
  case replaced
  /// More is waiting to be stored than the store takes.
  case overloaded
  /// It was closed.
  case closed
  /// Anything else, with the store's own code (SQLite: the extended result code).
  case failed(code: Int32)
}

extension StoreError: CustomStringConvertible {
  /// A few words for the operator.
  package var description: String {
    switch self {
    case .full: "the disk is full"
    case .locked: "another process holds the lock"
    case .readOnly: "the database may only be read"
    case .damaged: "the database is damaged"
    case .replaced:
      """
      the database was removed or replaced while the service runs; stop the service, put the database \
      in its place, and start the service again
      """
    case .overloaded: "more is waiting than is taken"
    case .closed: "the store is closed"
    case .failed(let code): "the store failed with code \(code)"
    }
  }
}
