internal import MailingList
internal import Security
internal import Signals

/// The keys that were read from the store, so that valid ones work while it cannot be read.
///
/// - A key is read again for each request, so a revocation takes effect with the next one. While
///   that read fails or takes too long, a valid key counts as it was last read, for ``lifetime``;
///   otherwise the metrics that report the outage would be unreadable. A revocation cannot be read
///   during an outage in any case.
/// - A key that was read as revoked or expired remains so, and is not read again.
// Contains the rows with their hashes, never a key; the operator bounds their number.
final class KnownKeys: Sendable {
  /// The time for which the last read of a key remains valid while the store is unreadable.
  private static let lifetime: Duration = .seconds(3600)

  private struct KnownKey {
    let key: StoredKey
    /// The time at which the key was read.
    let time: Timestamp
  }

  private let list: any ReadableList
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let known = Lock<[String: KnownKey]>([:])

  init(
    _ list: any ReadableList, on scheduler: any Scheduler, now: @escaping @Sendable () -> Timestamp
  ) {
    self.list = list
    self.scheduler = scheduler
    self.now = now
  }

  /// Returns whether a key from a client, with its secret, was read before.
  func contains(_ key: APIKey) -> Bool {
    key.matches(known.withLock { $0[key.id] }?.key.hash)
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
    _ id: String, if isSame: @escaping @Sendable (StoredKey) -> Bool
  ) -> Signal<StoredKey?, StoreError> {
    .deferred { [self] in
      let last = known.withLock { $0[id] }.flatMap { isSame($0.key) ? $0 : nil }
      if let last, last.key.status(at: now()) != .valid { return .just(last.key) }
      return list.read { list throws(StoreError) in try list.keyTable.readableKey(id) }
        .timeout(after: Operator.readTimeout, on: scheduler, with: .unreachable)
        .map { [self] key in
          let time = now()
          known.withLock { $0[id] = key.map { KnownKey(key: $0, time: time) } }
          return key
        }
        .catch { [self] error in
          let time = now()
          // A clock that was set back ends the lifetime.
          guard let last, last.time <= time, time < last.time.adding(Self.lifetime) else {
            return .fail(error)
          }
          return .just(last.key)
        }
    }
  }
}
