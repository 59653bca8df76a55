internal import MailingList
internal import Signals

/// The streams that wait for the owners of addresses to confirm.
///
/// The watch is notified of confirmations in this process, and reads those that precede the wait of
/// a stream. The store reports confirmations by other services that share the list.
final class ConfirmationWatch: Sendable {
  private struct State {
    /// The observers by subscriber, then by the order of their subscriptions.
    var observers: [Int64: [UInt64: Observer<Timestamp, Never>]] = [:]
    var nextKey: UInt64 = 0
  }

  private let store: any SubscriberStore
  private let state = Lock(State())

  init(store: any SubscriberStore) {
    self.store = store
  }

  /// The number of waiting streams.
  var waitingCount: Int {
    state.withLock { state in state.observers.values.reduce(0) { $0 + $1.count } }
  }

  /// Returns a signal of the confirmation that follows an execution.
  ///
  /// A confirmation before the execution began does not count, so that a sign-up of a subscriber
  /// waits like any other. The signal is cold; it sends the time of the confirmation and completes,
  /// without a value if the sign-up was not stored, or cannot be read.
  func confirmation(of id: ExecutionID) -> Signal<Timestamp, Never> {
    membership(of: id)
      .flatMap { [self] membership in
        // Register before the second read, so that no confirmation is missed between the two.
        Signal.merge(
          confirmations(of: membership.subscriberID),
          store.sharedStatusLog?.confirmation(of: membership.subscriberID, after: id.madeAt)
            ?? .empty,
          self.membership(of: id).compactMap { membership in
            membership.confirmedAt.flatMap { $0 > id.madeAt ? $0 : nil }
          }
        )
      }
      .take(1)
  }

  /// Sends a confirmation to the streams that wait for it.
  func confirmed(_ subscriber: Int64, at time: Timestamp) {
    let observers = state.withLock { $0.observers.removeValue(forKey: subscriber) }
    for observer in observers.map({ Array($0.values) }) ?? [] {
      observer.send(time)
      observer.complete()
    }
  }

  private func membership(of id: ExecutionID) -> Signal<ExecutionMembership, Never> {
    store.membership(of: id).catch { _ in .empty }.compactMap(\.self)
  }

  private func confirmations(of subscriber: Int64) -> Signal<Timestamp, Never> {
    Signal { [self] observer in
      let key = state.withLock { state in
        defer { state.nextKey += 1 }
        state.observers[subscriber, default: [:]][state.nextKey] = observer
        return state.nextKey
      }
      return AnyDisposable { [self] in remove(key, of: subscriber) }
    }
  }

  private func remove(_ key: UInt64, of subscriber: Int64) {
    // Release outside the lock, since an observer may own any object.
    let removed = state.withLock { state in
      let removed = state.observers[subscriber]?.removeValue(forKey: key)
      if state.observers[subscriber]?.isEmpty == true {
        state.observers.removeValue(forKey: subscriber)
      }
      return removed
    }
    _ = removed
  }
}
