package import EmailAddresses
internal import Locks
package import MailingList
package import Signals

/// A subscriber store in memory, which behaves like a real store except that it is not durable.
///
/// Its signals send on the thread that subscribes.
package final class InMemorySubscriberStore: SubscriberStore {
  private struct State {
    var failure: StoreError?
    var isClosed = false
    var now: @Sendable () -> Timestamp
  }

  private let list: SharedList
  private let state: Lock<State>
  let mails: InMemoryOutbox

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - optIn: Whether sign-ups have to be confirmed.
  ///   - now: Returns the current time, by which executions become unknown.
  package init(optIn: OptIn = .single, now: @escaping @Sendable () -> Timestamp = { .now }) {
    list = SharedList(optIn: optIn)
    mails = InMemoryOutbox(of: list)
    state = Lock(State(now: now))
  }

  /// The error that every write fails with; `nil`, the initial value, if writes succeed.
  package var failure: StoreError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// The mails that sign-ups have caused.
  package var outbox: any Outbox { mails }

  /// Stores a sign-up immediately.
  package func add(_ signUp: SignUp) -> Signal<Never, StoreError> {
    change { (list) throws(StoreError) in try list.add(signUp) }
      .map { [mails] hasQueuedMail in if hasQueuedMail { mails.announce() } }
      .ignoreValues(as: Never.self)
  }

  /// Looks up an execution of the last 24 hours.
  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    membership(of: id).map { $0 != nil }
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
    read { list in
      Array(list.members.lazy.filter { $0.id > id ?? .min }.compactMap(\.subscriber).prefix(limit))
    }
  }

  /// Closes immediately.
  package func close() -> Signal<Never, Never> {
    Signal { observer in
      self.state.withLock { $0.isClosed = true }
      self.mails.close()
      observer.complete()
      return nil
    }
  }

  /// Returns the number of sign-ups of an address.
  package func consentCount(of address: EmailAddress) -> Int {
    list.withLock { list in
      guard let id = list.id(of: address) else { return 0 }
      return list.consents.values.count { $0.subscriberID == id && $0.kind == "requested" }
    }
  }

  /// Sets the state of a subscriber, and nothing else.
  package func setState(_ new: Subscriber.State, of address: EmailAddress) {
    let before = mails.membership(of: address)
    mails.setMembership(
      Membership(
        state: new,
        suppression: before.suppression,
        confirmedAt: before.confirmedAt,
        unsubscribedAt: before.unsubscribedAt,
        suppressedAt: before.suppressedAt,
        rejections: before.rejections
      ),
      of: address
    )
  }

  /// Makes a signal that reads at each subscription.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (InMemoryList) -> Value
  ) -> Signal<Value, StoreError> {
    signal { (list) throws(StoreError) in body(list) }
  }

  /// Makes a signal that changes the list at each subscription, unless a failure is set.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout InMemoryList) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    signal { (list) throws(StoreError) in
      if let failure = self.failure { throw failure }
      return try body(&list)
    }
  }

  /// Sets what returns the current time.
  package func setClock(_ now: @escaping @Sendable () -> Timestamp) {
    state.withLock { $0.now = now }
  }

  /// The current time.
  var time: Timestamp { state.withLock { $0.now }() }

  private func signal<Value: Sendable>(
    _ body: @escaping @Sendable (inout InMemoryList) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    .calling { () throws(StoreError) in
      try self.list.withLock { (list) throws(StoreError) in
        if self.state.withLock(\.isClosed) { throw .closed }
        return try body(&list)
      }
    }
  }
}
