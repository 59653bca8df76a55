internal import EmailAddresses
internal import MailingList
internal import Signals
internal import Testing

extension SubscriberStoreConformance {
  /// The promises about storing sign-ups.
  static let storing: [Promise] = [
    Promise("the sign-up and its execution are stored when the signal completes") { test in
      let signUp = try SignUp.sample()
      try await test.add(signUp)
      #expect(try await test.subscribers().map(\.address) == [signUp.address.normalized])
      #expect(try await test.store.hasStored(signUp.id).values() == [true])
    },
    Promise("each subscription to the signal stores once, and none stores nothing") { test in
      _ = test.store.add(try .sample("nobody@example.org"))
      #expect(try await test.subscribers() == [])
    },
    Promise("two sign-ups of one person make one subscriber with two consents") { test in
      try await test.add(try .sample("ada@example.org"))
      try await test.add(try .sample("ada@example.org"))
      #expect(try await test.subscribers().count == 1)
      #expect(try test.consentCount(try .sample("ada@example.org")) == 2)
    },
    Promise("a subscriber keeps the fields of the first sign-up") { test in
      let (ana, bea) = (#"{"name":"Ana"}"#, #"{"name":"Bea"}"#)
      try await test.add(try .sample("ada@example.org", consent: Consent(fields: ana)))
      try await test.add(try .sample("ada@example.org", consent: Consent(fields: bea)))
      #expect(try await test.subscribers().map(\.fields) == [ana])
    },
    Promise("addresses that differ only in letter case are the same") { test in
      try await test.add(try .sample("Ada.Lovelace@Example.ORG"))
      try await test.add(try .sample("ada.lovelace@example.org"))
      try await test.add(try .sample("ADA.LOVELACE@EXAMPLE.ORG"))
      #expect(try await test.subscribers().count == 1)
      #expect(try test.consentCount(try .sample("ada.lovelace@example.org")) == 3)
    },
    Promise("equivalent Unicode spellings of an address are the same") { test in
      try await test.add(try .sample("REN\u{C9}@b\u{FC}cher.de"))
      try await test.add(try .sample("rene\u{301}@xn--bcher-kva.de"))
      try await test.add(try .sample("J\u{30C}@example.org"))
      try await test.add(try .sample("\u{1F0}@example.org"))
      #expect(try await test.subscribers().count == 2)
    },
    Promise("addresses with similar letters are different in every language") { test in
      let addresses = [
        "stra\u{DF}e@example.org", "strasse@example.org", "m\u{131}ke@example.org",
        "mike@example.org", "\u{430}da@example.org", "ada@example.org",
      ]
      for address in addresses { try await test.add(try .sample(address)) }
      #expect(try await test.subscribers().map(\.address) == addresses)
    },
    Promise("addresses that differ in any other byte are different") { test in
      let addresses = [
        "ada@example.org", "ad.a@example.org", "ada+list@example.org", "ada@example.com",
        "a_da@example.org", "ada_@example.org", "ada%@example.org", "ada@sub.example.org",
      ]
      for address in addresses { try await test.add(try .sample(address)) }
      #expect(try await test.subscribers().map(\.address) == addresses)
    },
    Promise("a repeated sign-up keeps the first address and locale") { test in
      try await test.add(try .sample("Ada@example.org", at: 1000, consent: Consent(locale: "de")))
      try await test.add(try .sample("aDA@Example.org", at: 2000, consent: Consent(locale: "fr")))
      let subscriber = try #require(try await test.subscribers().first)
      #expect(subscriber.address == "Ada@example.org")
      #expect(subscriber.locale == "de")
      #expect(subscriber.createdAt == Timestamp(millisecondsSince1970: 1000))
      #expect(subscriber.confirmedAt == Timestamp(millisecondsSince1970: 1000))
    },
    Promise("a missing locale differs from an empty locale") { test in
      try await test.add(try .sample("none@example.org"))
      try await test.add(try .sample("empty@example.org", consent: Consent(locale: "")))
      #expect(try await test.subscribers().map(\.locale) == [nil, ""])
    },
    Promise("a second sign-up with the same id stores no consent") { test in
      let signUp = try SignUp.sample("ada@example.org")
      let double = SignUp(
        id: signUp.id, address: try .sample("eve@example.org"), time: signUp.time,
        consent: signUp.consent)
      try await test.add(signUp)
      if let error = test.repeatedID {
        await #expect(throws: error) { try await test.add(double) }
        #expect(try await test.subscribers().map(\.address) == ["ada@example.org"])
      } else {
        try await test.add(double)
      }
      #expect(try test.consentCount(try .sample("ada@example.org")) == 1)
      #expect(try test.consentCount(try .sample("eve@example.org")) == 0)
    },
    Promise("64 people can sign up at the same time") { test in
      let signUps = try (0..<64).map { try SignUp.sample("person\($0)@example.org") }
      try await addAtOnce(signUps, test)
      let stored = Set(try await test.subscribers().map(\.address))
      #expect(stored == Set(signUps.map(\.address.normalized)))
    },
    Promise("64 simultaneous sign-ups of one person make one subscriber") { test in
      try await addAtOnce(try (0..<64).map { _ in try .sample("ada@example.org") }, test)
      #expect(try await test.subscribers().count == 1)
      #expect(try test.consentCount(try .sample("ada@example.org")) == 64)
    },
  ]

  private static func addAtOnce(_ signUps: [SignUp], _ test: StoreUnderTest) async throws {
    try await withThrowingTaskGroup { group in
      for signUp in signUps { group.addTask { try await test.add(signUp) } }
      try await group.waitForAll()
    }
    for signUp in signUps {
      #expect(try await test.store.hasStored(signUp.id).values() == [true])
    }
  }
}
