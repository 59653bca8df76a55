internal import Locks
internal import MailingList
internal import Secrets
internal import Signals

/// The keys that were read from the store, for the times when it cannot be read, and so that wrong
/// keys do not make it read.
///
/// - A valid key is read again for each request, so a revocation takes effect with the next one.
///   While that read fails or takes too long, the key counts as it was last read, for
///   ``lifetime``: without this no one could read the metrics that report such an outage. A
///   revocation cannot be read then either, whatever is done here.
/// - A key that was read as revoked or expired stays so, and is not read again.
/// - All others have to be searched. They are those that anyone can make up, so they share reads: one
///   after the other, with a ``pause`` in between, each for all requests that were waiting when it
///   began. It reads all keys, because otherwise a new key would have to wait for its turn after
///   any number of wrong ones.
// What is kept are the rows with their hashes, never a key; the operator bounds their number.
final class KnownKeys: Sendable {
  /// How long a key counts as it was read while the store cannot be read.
  static let lifetime: Duration = .seconds(3600)
  /// The pause between two reads of all keys.
  static let pause: Duration = .seconds(1)
  /// How long a request waits for the read of a known key: scrapers wait 10 seconds, and what the
  /// metrics read from the same store takes its time as well.
  static let patience: Duration = .seconds(2)

  private struct KnownKey {
    let key: StoredKey
    /// When it was read.
    let time: Timestamp
  }

  private struct Search {
    let id: String
    let observer: Observer<StoredKey?, StoreError>
  }

  private struct State {
    var known: [String: KnownKey] = [:]
    /// The searches for the next read of all keys.
    var searches: [Search] = []
    /// Whether all keys are being read, or were read within the pause.
    var isBusy = false
  }

  private let store: any KeyStore
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let state = Lock(State())

  /// Creates known keys without any.
  init(_ store: any KeyStore, on scheduler: any Scheduler, now: @escaping @Sendable () -> Timestamp)
  {
    self.store = store
    self.scheduler = scheduler
    self.now = now
  }

  /// Finds the stored key with the id of a key.
  ///
  /// - Parameter key: The key that a client sent; whether its secret is right is for the caller to
  ///   check.
  /// - Returns: A cold signal that sends the key, or `nil` if there is none, and completes, or
  ///   fails when the store cannot be read, and the key was not read as valid within ``lifetime``.
  func key(for key: APIKey) -> Signal<StoredKey?, StoreError> {
    .deferred { [self] in
      // Without the right secret it takes the same way as an unknown id.
      guard let known = state.withLock({ $0.known[key.id] }), key.matches(known.key.hash) else {
        return search(key.id)
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
    return store.key(id)
      .timeout(after: Self.patience, on: scheduler, with: .unreachable)
      .map { [self] key in
        let time = now()
        state.withLock { $0.known[id] = key.map { KnownKey(key: $0, time: time) } }
        return key
      }
      .catch { [self] error in
        let age = now().millisecondsSince1970 - known.time.millisecondsSince1970
        // The age is negative if the clock was set back.
        let isRecent = (0..<Int64(Self.lifetime.components.seconds) * 1000).contains(age)
        return isRecent ? .just(known.key) : .fail(error)
      }
  }

  /// Looks for a key in the next read of all keys.
  private func search(_ id: String) -> Signal<StoredKey?, StoreError> {
    Signal { [self] observer in
      let isFirst = state.withLock { state in
        state.searches.append(Search(id: id, observer: observer))
        defer { state.isBusy = true }
        return !state.isBusy
      }
      if isFirst { readAll() }
      return nil
    }
  }

  private func readAll() {
    // A key may have been created after the beginning of a read, so later searches need another.
    let searches = state.withLock { state in
      defer { state.searches = [] }
      return state.searches
    }
    store.keys().subscribe(
      next: { [self] keys in
        let time = now()
        let known = Dictionary(
          keys.map { ($0.id, KnownKey(key: $0, time: time)) },
          uniquingKeysWith: { first, _ in first }
        )
        state.withLock { $0.known = known }
        rest()
        for search in searches {
          search.observer.send(known[search.id]?.key)
          search.observer.complete()
        }
      },
      failed: { [self] error in
        rest()
        for search in searches { search.observer.fail(error) }
      }
    )
  }

  /// Reads all keys again after the pause, if they are needed then.
  private func rest() {
    scheduler.schedule(after: Self.pause) { [weak self] in
      guard let self else { return }
      let isNeeded = state.withLock { state in
        state.isBusy = !state.searches.isEmpty
        return state.isBusy
      }
      if isNeeded { readAll() }
    }
  }
}
