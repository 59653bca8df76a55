internal import EmailAddresses
package import Signals
package import MailingList
package import SQLiteStorage
package import Security

/// A SQLite store whose results arrive on the thread that asks for them, before it continues.
///
/// It records what it is asked to do. A test can keep its sign-ups waiting, and let it fail.
package final class ControlledStore: ListStore {
  private struct State {
    /// The subject whose completion releases the sign-ups; `nil` if they do not wait.
    var release: ReplaySubject<Void, Never>?
    var failure: StoreError?
    var calls: [String] = []
    var signUps: [SignUp] = []
    var inFlight: [String: Int] = [:]
    var mostInFlightOfOneKey = 0
  }

  package let base: SQLiteSubscriberStore
  package let mails: ControlledOutbox
  /// The status log that services share; by default there is none.
  package let sharedStatusLog: (any SharedStatusLog)?
  private let folder: Folder?
  private let waits: Bool
  private let state: Lock<State>

  /// Controls a store.
  ///
  /// - Parameters:
  ///   - base: The store.
  ///   - folder: The folder of the store, if it is removed with this object.
  ///   - isHolding: Whether sign-ups wait until ``open()``.
  ///   - waits: Whether results arrive on the thread that asks for them, instead of the writer's.
  ///   - sharedStatusLog: The status log that services share, if there is one.
  package init(
    _ base: SQLiteSubscriberStore, in folder: Folder? = nil, isHolding: Bool = false,
    waits: Bool = true, sharedStatusLog: (any SharedStatusLog)? = nil
  ) {
    self.base = base
    self.folder = folder
    self.waits = waits
    self.sharedStatusLog = sharedStatusLog
    mails = ControlledOutbox(base.outbox)
    state = Lock(State(release: isHolding ? ReplaySubject() : nil))
  }

  /// Makes an empty store in a folder of its own.
  ///
  /// - Parameters:
  ///   - optIn: Whether sign-ups have to be confirmed.
  ///   - isHolding: Whether sign-ups wait until ``open()``.
  ///   - waits: Whether results arrive on the thread that asks for them, instead of the writer's.
  ///   - sharedStatusLog: The status log that services share, if there is one.
  ///   - now: Returns the current time, by which executions become unknown.
  package convenience init(
    optIn: OptIn = .single, isHolding: Bool = false, waits: Bool = true,
    sharedStatusLog: (any SharedStatusLog)? = nil,
    now: @escaping @Sendable () -> Timestamp = { .now }
  ) {
    do {
      let folder = try Folder(inMemory: true)
      var configuration = SQLiteSubscriberStore.Configuration(optIn: optIn, now: now)
      // Closing would wait for the check, whose thread has the lowest priority.
      configuration.checksFile = false
      let path = folder("list.sqlite")
      self.init(
        try SQLiteSubscriberStore(path: path, configuration: configuration), in: folder,
        isHolding: isHolding, waits: waits, sharedStatusLog: sharedStatusLog)
    } catch {
      // A suite that has the store as a property cannot throw.
      fatalError("No store can be opened: \(error)")
    }
  }

  deinit {
    // The files must be closed before their folder is removed.
    _ = base.close().blockingLast()
  }

  // MARK: The test

  /// The error that every operation fails with; `nil`, the initial value, if they succeed.
  package var failure: StoreError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// The keys of the list's mails.
  package var keys: MailKeys { MailKeys(base.keyring) }

  /// The maximum number of sign-ups of one address that were in flight at the same time.
  package var mostInFlightOfOneKey: Int { state.withLock { $0.mostInFlightOfOneKey } }

  /// The sign-ups that have reached the store, in order.
  package var signUps: [SignUp] { state.withLock { $0.signUps } }

  /// Returns the names of the calls since the last time, such as `read` and `change`.
  package func takeCalls() -> [String] {
    state.withLock { state in
      defer { state.calls = [] }
      return state.calls
    }
  }

  /// Delays sign-ups from now on until `release` completes.
  package func hold(until release: ReplaySubject<Void, Never>) {
    state.withLock { $0.release = release }
  }

  /// Stores all waiting and all future sign-ups.
  package func open() {
    let release = state.withLock { state in
      defer { state.release = nil }
      return state.release
    }
    release?.complete()
  }

  /// Returns the addresses on the list.
  ///
  /// - Returns: The addresses in the order of their ids.
  package func addresses() async throws(StoreError) -> [String] {
    try await base.subscribers(after: nil, limit: 1000).values().flatMap(\.self).map(\.address)
  }

  // MARK: The store

  package var outbox: any Outbox { mails }

  package func add(_ signUp: SignUp) -> Signal<Never, StoreError> {
    Signal { observer in
      let key = signUp.address.key
      let store: @Sendable () -> Void = {
        // An outcome is sent after it has been counted, because it may start the next sign-up.
        self.perform(self.base.add(signUp), "add").subscribe(
          failed: { error in
            self.end(key)
            observer.fail(error)
          },
          completed: {
            self.end(key)
            self.mails.announce()
            observer.complete()
          }
        )
      }
      guard let release = self.start(signUp, of: key) else {
        store()
        return nil
      }
      return release.signal.subscribe(completed: store)
    }
  }

  /// Counts a sign-up.
  ///
  /// - Returns: The subject whose completion releases it; `nil` if it does not wait.
  private func start(_ signUp: SignUp, of key: String) -> ReplaySubject<Void, Never>? {
    state.withLock { state in
      state.signUps.append(signUp)
      state.inFlight[key, default: 0] += 1
      state.mostInFlightOfOneKey = max(state.mostInFlightOfOneKey, state.inFlight[key] ?? 0)
      return state.release
    }
  }

  private func end(_ key: String) {
    state.withLock { $0.inFlight[key, default: 0] -= 1 }
  }

  package var keyring: Keyring { base.keyring }
  package var queuedSignUps: Int { base.queuedSignUps }
  package var logBytes: Int? { base.logBytes }

  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    perform(base.hasStored(id), "hasStored")
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    perform(base.read(body), "read")
  }

  package func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    perform(base.change(body), "change").map { [mails] result in
      mails.announce()
      return result
    }
  }

  package func probe() -> Signal<Never, StoreError> { perform(base.probe(), "probe") }

  package func finish(within time: Duration) -> Signal<Never, Never> { base.finish(within: time) }

  package func close() -> Signal<Never, Never> {
    .deferred {
      self.mails.close()
      return self.base.close().blocking()
    }
  }

  private func perform<Value: Sendable>(
    _ signal: Signal<Value, StoreError>, _ name: String
  ) -> Signal<Value, StoreError> {
    .deferred {
      let failure = self.state.withLock { state in
        state.calls.append(name)
        return state.failure
      }
      return failure.map { .fail($0) } ?? (self.waits ? signal.blocking() : signal)
    }
  }
}
