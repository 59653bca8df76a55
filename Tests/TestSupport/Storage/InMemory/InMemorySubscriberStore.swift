package import EmailAddresses
internal import Locks
package import MailingList
package import Signals

/// A subscriber store in memory, which behaves like a real store except that it is not durable.
///
/// Its signals send on the thread that subscribes.
package final class InMemorySubscriberStore: SubscriberStore {
  private struct State {
    /// The subscribers in the order of their ids; an id is an index plus one.
    var subscribers: [Subscriber] = []
    /// The indices, keyed by the bytes of the address key, because `String` compares by canonical
    /// equivalence.
    var positions: [[UInt8]: Int] = [:]
    var consents: [(subscriber: Int64, signUp: SignUp)] = []
    var executions: Set<ExecutionID> = []
    var failure: StoreError?
    var isClosed = false
  }

  private let state = Lock(State())

  /// Makes an empty store.
  package init() {}

  /// The error that every write fails with; `nil`, the initial value, if writes succeed.
  package var failure: StoreError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// Stores a sign-up immediately.
  package func add(_ signUp: SignUp) -> Signal<Never, StoreError> {
    signal { state throws(StoreError) in
      if let failure = state.failure { throw failure }
      // Like the primary key of a database; 1555 is SQLITE_CONSTRAINT_PRIMARYKEY.
      guard state.executions.insert(signUp.id).inserted else { throw .failed(code: 1555) }
      state.consents.append((Self.upsert(signUp, &state), signUp))
    }
    .ignoreValues(as: Never.self)
  }

  /// Looks up an execution.
  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    signal { state throws(StoreError) in state.executions.contains(id) }
  }

  /// Completes unless a failure is set or the store is closed.
  package func probe() -> Signal<Never, StoreError> {
    Signal { observer in
      let error: StoreError? = self.state.withLock { $0.isClosed ? .closed : $0.failure }
      if let error { observer.fail(error) } else { observer.complete() }
      return nil
    }
  }

  /// Reads a batch of the list.
  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    signal { state throws(StoreError) in
      Array(state.subscribers.lazy.filter { $0.id > id ?? .min }.prefix(limit))
    }
  }

  /// Closes immediately.
  package func close() -> Signal<Never, Never> {
    Signal { observer in
      self.state.withLock { $0.isClosed = true }
      observer.complete()
      return nil
    }
  }

  /// Returns the number of consents for an address.
  package func consentCount(of address: EmailAddress) -> Int {
    state.withLock { state in
      guard let position = state.positions[Array(address.key.utf8)] else { return 0 }
      return state.consents.count { $0.subscriber == Int64(position + 1) }
    }
  }

  /// Sets the state of a subscriber, as later features will.
  package func setState(_ new: Subscriber.State, of address: EmailAddress) {
    state.withLock { state in
      guard let position = state.positions[Array(address.key.utf8)] else { return }
      state.subscribers[position] = state.subscribers[position].with(state: new)
    }
  }

  /// Adds a subscriber, or raises the state of an existing one; never lowers it.
  ///
  /// - Returns: The subscriber's id.
  private static func upsert(_ signUp: SignUp, _ state: inout State) -> Int64 {
    let key = Array(signUp.address.key.utf8)
    guard let position = state.positions[key] else {
      let id = Int64(state.subscribers.count + 1)
      state.positions[key] = state.subscribers.count
      state.subscribers.append(
        Subscriber(
          id: id,
          address: signUp.address.normalized,
          state: .subscribed,
          locale: signUp.consent.locale,
          createdAt: signUp.time,
          confirmedAt: signUp.time,
          unsubscribedAt: nil
        )
      )
      return id
    }
    let subscriber = state.subscribers[position]
    switch subscriber.state {
    case .pending, .unsubscribed:
      state.subscribers[position] = subscriber.with(state: .subscribed, confirmedAt: signUp.time)
    case .subscribed, .suppressed:
      break
    }
    return subscriber.id
  }

  private func signal<Value: Sendable>(
    _ body: @escaping @Sendable (inout State) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    Signal { observer in
      let result: Result<Value, StoreError> = self.state.withLock { state in
        if state.isClosed { return .failure(.closed) }
        do throws(StoreError) { return .success(try body(&state)) } catch { return .failure(error) }
      }
      switch result {
      case .success(let value):
        observer.send(value)
        observer.complete()
      case .failure(let error):
        observer.fail(error)
      }
      return nil
    }
  }
}

extension Subscriber {
  fileprivate func with(state: State, confirmedAt: Timestamp? = nil) -> Subscriber {
    Subscriber(
      id: id,
      address: address,
      state: state,
      locale: locale,
      createdAt: createdAt,
      confirmedAt: confirmedAt ?? self.confirmedAt,
      unsubscribedAt: state == .subscribed ? nil : unsubscribedAt
    )
  }
}
