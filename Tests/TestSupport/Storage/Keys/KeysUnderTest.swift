package import MailingList
internal import Testing

/// The keys of a store under test, as the service and as the command line see them.
package struct KeysUnderTest {
  /// The keys as the service sees them, without any key.
  package let store: any KeyStore
  /// The same keys as the command line sees them.
  package let administration: any KeyAdministration

  /// Makes keys under test.
  ///
  /// - Parameters:
  ///   - store: The keys as the service sees them.
  ///   - administration: The same keys as the command line sees them.
  package init(_ store: any KeyStore, _ administration: any KeyAdministration) {
    self.store = store
    self.administration = administration
  }

  /// Reads a key like the service.
  func read(_ id: String) async throws -> StoredKey? {
    try #require(try await store.key(id).values().first)
  }
}
