internal import MailingList
internal import Testing

/// The promises of every store of keys; each promise is checked on an empty store of its own.
///
/// ```swift
/// @Test(arguments: KeyStoreConformance.promises)
/// func `a store of keys`(_ promise: KeyStoreConformance.Promise) async throws {
///   try await promise.check(KeysUnderTest(store, administration))
/// }
/// ```
package enum KeyStoreConformance {
  /// A promise.
  package typealias Promise = ConformancePromise<KeysUnderTest>

  /// All promises.
  package static let promises: [Promise] = [
    Promise("a key that the command line has created is read at once") { test in
      #expect(try await test.read("00000001") == nil)
      let key = StoredKey.sample(
        scopes: Set(KeyScope.allCases), expiresAt: start.adding(.seconds(60)))
      try test.administration.create(key)
      #expect(try await test.read("00000001") == key)
      #expect(try test.administration.keys() == [key])
      #expect(key.status(at: start) == .valid)
      #expect(key.status(at: start.adding(.seconds(60))) == .expired)
    },
    Promise("a revoked key stays revoked, and its revocation is read at once") { test in
      try test.administration.create(StoredKey.sample())
      let time = start.adding(.seconds(1))
      #expect(try test.administration.revoke("00000001", at: time))
      let isNew = try test.administration.revoke("00000001", at: start.adding(.seconds(2)))
      #expect(!isNew)
      let stored = try #require(try await test.read("00000001"))
      #expect(stored.revokedAt == time)
      #expect(stored.status(at: start) == .revoked)
      #expect(throws: KeyAdministrationError.unknown(id: "00000002")) {
        _ = try test.administration.revoke("00000002", at: start)
      }
    },
    Promise("the last use is stored to the minute, and the origin of a page stays") { test in
      try test.administration.create(StoredKey.sample())
      let page = KeyUse(
        of: "00000001", at: start.adding(.milliseconds(61_234)), from: "192.0.2.0/24",
        origin: "https://example.org")
      try await test.record(page)
      let before = try #require(try await test.read("00000001"))
      #expect(before.lastUsedAt == start.adding(.seconds(60)))
      #expect(before.lastUsedFrom == "192.0.2.0/24")
      #expect(page.isKnown(to: before))
      let later = KeyUse(of: "00000001", at: start.adding(.seconds(120)), from: "2001:db8:1::/48")
      #expect(!later.isKnown(to: before))
      try await test.record(later)
      let after = try #require(try await test.read("00000001"))
      #expect(after.lastUsedAt == start.adding(.seconds(120)))
      #expect(after.lastUsedFrom == "2001:db8:1::/48")
      #expect(after.lastOrigin == "https://example.org")
    },
    Promise("the use of a key that does not exist changes nothing") { test in
      try test.administration.create(StoredKey.sample())
      try await test.record(KeyUse(of: "none", at: start, from: nil))
      #expect(try test.administration.keys() == [StoredKey.sample()])
    },
    Promise("a hundred keys can be valid at a time") { test in
      let keys = test.administration
      try keys.create(StoredKey.sample("expired", expiresAt: start.adding(.seconds(1))))
      let later = start.adding(.seconds(2))
      for number in 0..<StoredKey.maximumCount {
        try keys.create(StoredKey.sample("\(number)", createdAt: later))
      }
      #expect(throws: KeyAdministrationError.tooMany) {
        try keys.create(StoredKey.sample("more", createdAt: later))
      }
      #expect(try keys.revoke("7", at: later))
      try keys.create(StoredKey.sample("more", createdAt: later))
      #expect(throws: KeyAdministrationError.tooMany) {
        try keys.create(StoredKey.sample("again", createdAt: later))
      }
      #expect(try keys.keys().count == StoredKey.maximumCount + 2)
    },
    Promise("a key with the id of another is not stored") { test in
      try test.administration.create(StoredKey.sample())
      #expect(throws: KeyAdministrationError.exists) {
        try test.administration.create(StoredKey.sample(scopes: [.write]))
      }
      #expect(try test.administration.keys() == [StoredKey.sample()])
    },
  ]

  private static let start = StoredKey.sampleTime
}
