internal import Signals
internal import MailingList
internal import Security

/// The keys that were read from the store, so that wrong keys cause no reads, and valid ones work
/// while the store is unreadable.
///
/// - A valid key is read again for each request, so a revocation takes effect with the next one.
///   While that read fails or takes too long, the key counts as it was last read, for ``lifetime``;
///   otherwise the metrics that report the outage would be unreadable. A revocation cannot be read
///   during an outage in any case.
/// - A key that was read as revoked or expired remains so, and is not read again.
/// - All other keys require a search. Clients can invent any number of them, so the searches share
///   reads: one after the other, with a ``pause`` in between, each for all requests that were
///   waiting when it began. A read returns all keys, because otherwise a new key would have to wait
///   for its turn after any number of wrong ones.
// Contains the rows with their hashes, never a key; the operator bounds their number.
final class KnownKeys: Sendable {
  /// The time for which the last read of a key remains valid while the store is unreadable.
  private static let lifetime: Duration = .seconds(3600)
  /// The pause between two reads of all keys.
  private static let pause: Duration = .seconds(1)
  /// The time limit for reading all keys, after which the next search reads again.
  private static let searchTimeout: Duration = .seconds(60)

  private struct KnownKey {
    let key: StoredKey
    /// The time at which the key was read.
    let time: Timestamp
  }

  private typealias Keys = [String: KnownKey]

  private struct State {
    var known: Keys = [:]
    /// What the next read of all keys will send; `nil` if no search waits for it.
    var next: ReplaySubject<Keys, StoreError>?
    /// Whether all keys are being read, or were read within the pause.
    var isBusy = false
  }

  private let store: any ReadableList
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let state = Lock(State())

  init(
    _ store: any ReadableList, on scheduler: any Scheduler,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.store = store
    self.scheduler = scheduler
    self.now = now
  }

  /// Finds the stored key with the id of a key from a client; the caller compares the secret.
  ///
  /// The signal is cold; it sends the key, or `nil` if there is none, and completes. It fails if
  /// the store cannot be read, and the key was not read as valid within ``lifetime``.
  func key(for key: APIKey) -> Signal<StoredKey?, StoreError> {
    // With a wrong secret, the same code runs as for an unknown id.
    find(key.id) { key.matches($0.hash) }
  }

  /// Finds the stored key of a session, whose code proves that its client had the key.
  ///
  /// The signal is that of ``key(for:)``.
  func key(of session: SessionToken) -> Signal<StoredKey?, StoreError> {
    find(session.keyID) { _ in true }
  }

  private func find(
    _ id: String, if isKnown: @escaping @Sendable (StoredKey) -> Bool
  ) -> Signal<StoredKey?, StoreError> {
    .deferred { [self] in
      guard let known = state.withLock({ $0.known[id] }), isKnown(known.key) else {
        return search(id)
      }
      switch known.key.status(at: now()) {
      case .revoked, .expired: return .just(known.key)
      case .valid: return read(known)
      }
    }
  }

  /// Reads a key that was valid when it was last read.
  private func read(_ known: KnownKey) -> Signal<StoredKey?, StoreError> {
    let id = known.key.id
    return store.read { list throws(StoreError) in try list.keyTable.key(id) }
      .timeout(after: Operator.readTimeout, on: scheduler, with: .unreachable)
      .map { [self] key in
        let time = now()
        state.withLock { $0.known[id] = key.map { KnownKey(key: $0, time: time) } }
        return key
      }
      .catch { [self] error in
        let time = now()
        // A clock that was set back ends the lifetime.
        let isRecent = known.time <= time && time < known.time.adding(Self.lifetime)
        return isRecent ? .just(known.key) : .fail(error)
      }
  }

  /// Searches for a key in the next read of all keys.
  private func search(_ id: String) -> Signal<StoredKey?, StoreError> {
    let (next, isFirst) = state.withLock { state in
      // A key may be newer than the beginning of a read, so later searches need another one.
      let next = state.next ?? ReplaySubject()
      state.next = next
      defer { state.isBusy = true }
      return (next, !state.isBusy)
    }
    if isFirst { readAll() }
    return next.signal.map { $0[id]?.key }
  }

  private func readAll() {
    guard let next = state.withLock({ $0.next.take() }) else { return }
    store.read { list throws(StoreError) in try list.keyTable.readableKeys() }
      // A read that never ends must not prevent the next.
      .timeout(after: Self.searchTimeout, on: scheduler, with: .unreachable)
      .map { [self] keys in
        let time = now()
        let known = Dictionary(
          keys.map { ($0.id, KnownKey(key: $0, time: time)) },
          uniquingKeysWith: { first, _ in first })
        state.withLock { $0.known = known }
        return known
      }
      .do(next: { [self] _ in rest() }, failed: { [self] _ in rest() })
      .subscribe(next)
  }

  /// Reads all keys again after the pause, if searches are waiting then.
  private func rest() {
    scheduler.schedule(after: Self.pause) { [weak self] in
      guard let self else { return }
      let isNeeded = state.withLock { state in
        state.isBusy = state.next != nil
        return state.isBusy
      }
      if isNeeded { readAll() }
    }
  }
}
