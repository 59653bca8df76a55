internal import MailingList
internal import Signals

/// The streams that wait for the owners of addresses to confirm.
///
/// They hear of confirmations in this process, and read those that precede their wait. The store
/// reports confirmations by other services that share the list.
final class ConfirmationWatch: Sendable {
  private let store: any ListStore
  private let now: @Sendable () -> Timestamp
  private let confirmations = Subject<(subscriber: Int64, time: Timestamp), Never>()

  init(store: any ListStore, now: @escaping @Sendable () -> Timestamp) {
    self.store = store
    self.now = now
  }

  /// Returns a signal of the confirmation that follows an execution.
  ///
  /// A confirmation before the execution began does not count, so that a sign-up of a subscriber
  /// waits like any other. The signal is cold; it sends the time of the confirmation and completes,
  /// without a value if the sign-up was not stored, or cannot be read.
  func confirmation(of id: ExecutionID) -> Signal<Timestamp, Never> {
    membership(of: id)
      .flatMap { [self] membership in
        let subscriber = membership.subscriberID
        // Subscribed before the second read, so that no confirmation is missed between the two.
        return Signal.merge(
          confirmations.signal.compactMap { $0.subscriber == subscriber ? $0.time : nil },
          store.sharedStatusLog?.confirmation(of: subscriber, after: id.madeAt) ?? .empty,
          self.membership(of: id).compactMap { membership in
            membership.confirmedAt.flatMap { $0 > id.madeAt ? $0 : nil }
          }
        )
      }
      .take(1)
  }

  /// Sends a confirmation to the streams that wait for it.
  func confirmed(_ subscriber: Int64, at time: Timestamp) {
    confirmations.send((subscriber, time))
  }

  private func membership(of id: ExecutionID) -> Signal<ExecutionMembership, Never> {
    store.read { [now] list throws(StoreError) in try list.membership(of: id, at: now()) }
      .catch { _ in .empty }.compactMap(\.self)
  }
}
