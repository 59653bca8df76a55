package import MailingList
internal import Testing

/// The keys of a store under test, as the service and as the command line see them.
package struct KeysUnderTest {
  /// The keys as the service sees them, without any key.
  package let store: any ListAccess
  /// The same keys as the command line sees them.
  package let administration: ListKeyAdministration

  /// Makes keys under test.
  ///
  /// - Parameters:
  ///   - store: The keys as the service sees them.
  ///   - administration: The same keys as the command line sees them.
  package init(_ store: any ListAccess, _ administration: ListKeyAdministration) {
    self.store = store
    self.administration = administration
  }

  /// Reads a key like the service.
  package func read(_ id: String) async throws -> StoredKey? {
    let key = store.read { list throws(StoreError) in try list.keyTable.readableKey(id) }
    return try #require(try await key.values().first)
  }

  /// Records a use like the service.
  func record(_ use: KeyUse) async throws {
    _ = try await store.change { list throws(StoreError) in try list.keyTable.record(use) }.values()
  }
}

extension StoredKey {
  /// The time at which a sample is created.
  package static let sampleTime = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - id: Its public part.
  ///   - scopes: What it allows.
  ///   - createdAt: When it was made.
  ///   - expiresAt: When it expires; `nil` for never.
  /// - Returns: The key.
  package static func sample(
    _ id: String = "00000001", scopes: Set<KeyScope> = [.metrics, .read],
    createdAt: Timestamp = sampleTime, expiresAt: Timestamp? = nil
  ) -> StoredKey {
    StoredKey(
      id: id, name: "prometheus", scopes: scopes, hash: Array(repeating: 7, count: 32),
      createdAt: createdAt, expiresAt: expiresAt)
  }
}
