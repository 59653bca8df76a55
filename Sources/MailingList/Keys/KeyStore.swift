package import Signals

/// The keys of the operator's interface, as the service needs them.
///
/// Every request reads its key if it is valid, so a revocation takes effect with the next request,
/// also when another process revokes it. All functions may be called from any thread, and none of them
/// blocks; signals send on a thread that the store chooses.
package protocol KeyStore: Sendable {
  /// Reads a key.
  ///
  /// - Returns: A cold signal that sends the key, or `nil` if there is none, and completes, or
  ///   fails when the store cannot be read.
  func key(_ id: String) -> Signal<StoredKey?, StoreError>

  /// Reads all keys, also those that are revoked or have expired.
  ///
  /// A key that cannot be read, for instance because a later release has created it with a scope
  /// that this one does not know, is missing: it does not keep the others from being accepted.
  ///
  /// - Returns: A cold signal that sends the keys and completes, or fails when the store cannot be
  ///   read.
  func keys() -> Signal<[StoredKey], StoreError>

  /// Stores when and from where a key was last used.
  ///
  /// - Parameter use: The use; it does nothing if there is no such key.
  /// - Returns: A cold signal that completes when that is stored, or fails.
  func record(_ use: KeyUse) -> Signal<Never, StoreError>
}

/// The keys of the operator's interface, as the command line manages them while the service runs.
package protocol KeyAdministration {
  /// Stores a new key.
  ///
  /// - Throws: `KeyAdministrationError`; then nothing was stored.
  func create(_ key: StoredKey) throws(KeyAdministrationError)

  /// Reads all keys in the order of their creation.
  ///
  /// - Returns: The keys, also those that are revoked or have expired.
  func keys() throws(KeyAdministrationError) -> [StoredKey]

  /// Revokes a key permanently.
  ///
  /// - Returns: Whether the key was accepted until now; `false` if it was revoked before.
  func revoke(_ id: String, at time: Timestamp) throws(KeyAdministrationError) -> Bool
}

/// The limit of ``KeyAdministration``.
package enum KeyLimit {
  /// The maximum number of keys that are neither revoked nor expired.
  package static let maximumCount = 100
}

/// The reason why keys were not read or changed; its description is for the operator.
package enum KeyAdministrationError: Error, Hashable, Sendable {
  /// There are ``KeyLimit/maximumCount`` keys already.
  case tooMany
  /// There is a key with the same id.
  case exists
  /// There is no key with this id.
  case unknown(id: String)
  /// The store failed.
  case store(StoreError)
}

extension KeyAdministrationError: CustomStringConvertible {
  /// The message for the operator, one line.
  package var description: String {
    switch self {
    case .tooMany: "there are \(KeyLimit.maximumCount) keys already; revoke one that is not used"
    case .exists: "a key with the same id exists; try again"
    case .unknown(let id): "there is no key \(id); enlist keys list shows all"
    case .store(let error): "\(error)"
    }
  }
}
