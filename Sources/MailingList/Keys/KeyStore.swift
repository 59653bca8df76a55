package import Signals

/// The service's access to the keys of the operator's interface.
///
/// Every request with a valid key reads it from the store, so a revocation takes effect with the
/// next request, even if another process revokes the key. All functions may be called from any
/// thread, and none of them blocks; signals send on a thread that the store chooses.
package protocol KeyStore: Sendable {
  /// Reads a key.
  ///
  /// The signal is cold; it sends the key, or `nil` if there is none, and completes, or fails if
  /// the store cannot be read.
  func key(_ id: String) -> Signal<StoredKey?, StoreError>

  /// Reads all keys, including those that are revoked or have expired.
  ///
  /// A key that cannot be read is omitted, so that the others are still accepted. For example, a
  /// later release may have created it with a scope that this one does not know.
  ///
  /// The signal is cold; it sends the keys and completes, or fails if the store cannot be read.
  func keys() -> Signal<[StoredKey], StoreError>

  /// Stores the latest use of a key; does nothing if there is no such key.
  ///
  /// The signal is cold; it completes when the use is stored, or fails.
  func record(_ use: KeyUse) -> Signal<Never, StoreError>
}

/// The limit of keys.
package enum KeyLimit {
  /// The maximum number of keys that are neither revoked nor expired.
  package static let maximumCount = 100
}

/// The reason why keys could not be read or changed; its description is for the operator.
package enum KeyAdministrationError: Error, Hashable, Sendable {
  /// There are already ``KeyLimit/maximumCount`` keys.
  case tooMany
  /// There is a key with the same id.
  case exists
  /// There is no key with this id.
  case unknown(id: String)
  /// The store failed.
  case store(StoreError)
}

extension KeyAdministrationError: CustomStringConvertible {
  /// A message of one line for the operator.
  package var description: String {
    switch self {
    case .tooMany: "there are \(KeyLimit.maximumCount) keys already; revoke one that is not used"
    case .exists: "a key with the same id exists; try again"
    case .unknown(let id): "there is no key \(id); enlist keys list shows all"
    case .store(let error): "\(error)"
    }
  }
}
