internal import EmailAddresses
internal import MailingList
internal import Signals
internal import Testing

extension SuppressionConformance {
  /// The promises about the other spellings of a suppressed mailbox: those that the budget of its
  /// mails counts together.
  static let spellings: [Promise] = [
    Promise("no spelling of a suppressed mailbox gets mail, whether it was listed or not") { test in
      for reason in [Suppression.complaint, .operator, .objected] {
        for isListed in [false, true] {
          for (suppressed, others) in spellings(of: "\(reason.rawValue)\(isListed ? 1 : 0)") {
            let address = try EmailAddress.sample(suppressed)
            if isListed { _ = try await test.list.signUp(suppressed, at: later(0)) }
            _ = try await test.list.suppress(address, reason, at: later(1))
            for other in others {
              let mail = try await test.list.signUp(other, at: later(86_400)).mail
              #expect(mail == nil, "\(other) after \(suppressed), \(reason)")
            }
          }
        }
      }
    },
    Promise("a mail that waits is not sent after another spelling was suppressed") { test in
      try await test.list.add(try .sample("doe+x@googlemail.com", at: 1_800_000_000_000))
      _ = try await test.list.suppress(try .sample("do.e@gmail.com"), .complaint, at: later(1))
      #expect(try await test.list.deliverMail(at: later(2)) == nil)
    },
    Promise("a subscriber remains when another spelling is suppressed, and gets no mail") { test in
      let mail = try #require(try await test.list.signUp("ada+1@example.org", at: later(0)).mail)
      _ = try await test.list.confirm(mail, at: later(1))
      _ = try await test.list.suppress(try .sample("ada@example.org"), .objected, at: later(2))
      #expect(try await test.list.signUp("ada+1@example.org", at: later(400_000)).mail == nil)
      #expect(try await test.list.renew(mail, at: later(400_000)) == true)
      #expect(try await test.list.deliverMail(at: later(400_000)) == nil)
      #expect(try await test.list.state() == .subscribed)
    },
    Promise("a link from before does not end the suppression of another spelling") { test in
      let mail = try #require(try await test.list.signUp("ada@example.org", at: later(0)).mail)
      _ = try await test.list.suppress(try .sample("ada+1@example.org"), .complaint, at: later(1))
      _ = try await test.list.confirm(mail, at: later(2))
      for other in ["ada+1@example.org", "ada+2@example.org"] {
        #expect(try await test.list.signUp(other, at: later(86_400)).mail == nil)
      }
    },
    Promise("an objection that an erasure leaves holds for each spelling") { test in
      for (erased, others) in spellings(of: "") {
        _ = try await test.list.signUp(erased, at: later(0))
        _ = try test.erase(try .sample(erased), .everything)
        for other in others {
          #expect(try await test.list.signUp(other, at: later(86_400)).mail == nil, "\(other)")
        }
      }
    },
    Promise("the suppression of a mailbox outlives the erasure of each spelling") { test in
      let addresses = try ["ada@example.org", "ada+1@example.org", "ada+2@example.org"].map {
        try EmailAddress.sample($0)
      }
      for (address, reason) in zip(addresses, [Suppression.hardBounce, .complaint]) {
        try await test.list.add(try .sample(address.normalized, at: 1_800_000_000_000))
        _ = try await test.list.suppress(address, reason, at: later(1))
      }
      for address in addresses { _ = try test.erase(address, .imports) }
      for address in addresses {
        #expect(try await test.list.signUp(address.normalized, at: later(86_400)).mail == nil)
      }
    },
    Promise("a suppression that was stored for one spelling only still holds") { test in
      for (number, name) in ["do.e@gmail.com", "ada+1@example.org"].enumerated() {
        let address = try EmailAddress.sample(name)
        try test.store(number == 0 ? [.objected, nil] : [nil, .complaint], address)
        #expect(try await test.list.signUp(name, at: later(0)).mail == nil)
        #expect(try await test.membership(address).state == .suppressed)
        #expect(try await test.list.suppress(address, .complaint, at: later(1)) == .already)
      }
    },
    Promise("a bounce holds for the spelling that bounced") { test in
      let bounced = try EmailAddress.sample("ada+typo@example.org")
      _ = try await test.list.suppress(bounced, .hardBounce, at: later(0))
      #expect(try await test.list.signUp(bounced.normalized, at: later(1)).mail == nil)
      #expect(try await test.list.signUp("ada@example.org", at: later(2)).mail != nil)
    },
    Promise("the end of a suppression is that of every spelling") { test in
      let store = test.list.store
      for (suppressed, others) in spellings(of: "") {
        let address = try EmailAddress.sample(suppressed)
        _ = try await test.list.signUp(suppressed, at: later(0))
        _ = try await test.list.suppress(address, .complaint, at: later(1))
        for other in others {
          #expect(try await test.list.signUp(other, at: later(2)).mail == nil)
        }
        let id = try #require(try await store.lookUp([address]).last()?.first?.subscriber?.id)
        _ = try await store.change(.unsubscribe, of: id, by: .command, at: later(3)) { _ in true }
          .last()
        for (day, other) in others.enumerated() {
          let mail = try await test.list.signUp(other, at: later(Int64(day + 1) * 86_400)).mail
          #expect(mail != nil, "\(other) after \(suppressed)")
        }
      }
    },
    Promise("an erasure of any spelling that forgets ends the suppression of all") { test in
      for (suppressed, others) in spellings(of: "") {
        _ = try await test.list.suppress(try .sample(suppressed), .objected, at: later(1))
        _ = try test.erase(try .sample(others[0]), .nothing)
        #expect(try await test.list.signUp(suppressed, at: later(86_400)).mail != nil)
        #expect(try await test.list.signUp(others[0], at: later(2 * 86_400)).mail != nil)
      }
    },
    Promise("nothing adds another spelling of a suppressed mailbox") { test in
      let store = test.list.store
      for (suppressed, others) in spellings(of: "") {
        // One that is pending already.
        _ = try await test.list.signUp(others[0], at: later(0))
        _ = try await test.list.suppress(try .sample(suppressed), .objected, at: later(1))
        for other in others {
          #expect(
            try await imported(other, to: test) == .suppressed, "\(other) after \(suppressed)")
        }
        let found = try EmailAddress.sample(others[1])
        let status = try await store.lookUp([found]).last()?.first
        #expect(status == AddressStatus(subscriber: nil, suppression: .objected))
      }
    },
    Promise("a suppression that was imported holds for each spelling") { test in
      let store = test.list.store
      let membership = Membership(
        state: .suppressed, suppression: .complaint, suppressedAt: later(0))
      for (suppressed, others) in spellings(of: "") {
        let person = try ImportedPerson.sample(suppressed, membership, at: later(0))
        #expect(try await store.add([person], by: .command, at: later(1)).last() == [.new])
        for other in others {
          #expect(try await test.list.signUp(other, at: later(86_400)).mail == nil, "\(other)")
        }
      }
    },
  ]

  /// Addresses, and other spellings of the same mailbox.
  private static func spellings(of name: String) -> [(suppressed: String, others: [String])] {
    [
      ("do.e\(name)@gmail.com", ["doe\(name)@gmail.com", "do.e\(name)+x@googlemail.com"]),
      ("ada\(name)@example.org", ["ada\(name)+1@example.org", "ada\(name)+a+b@example.org"]),
      ("bob\(name)+1@example.org", ["bob\(name)@example.org", "bob\(name)+2@example.org"]),
      ("eve.\(name)z@proton.me", ["eve\(name)z@pm.me", "e-ve\(name)z+a@protonmail.com"]),
    ]
  }
}

extension StoreUnderTest {
  /// Expects that an empty list with single opt-in subscribes no spelling of a suppressed mailbox.
  package func expectNoOtherSpelling() async throws {
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    _ = try await suppress(try .sample("do.e@gmail.com"), .complaint, at: time)
    _ = try await suppress(try .sample("ada@example.org"), .hardBounce, at: time)
    for name in ["doe@gmail.com", "d.oe+x@googlemail.com", "ada+1@example.org"] {
      try await add(try .sample(name))
    }
    #expect(try await subscribers().map(\.state) == [.suppressed, .suppressed, .subscribed])
    #expect(try await subscribers().map(\.suppression) == [.complaint, .complaint, nil])
  }
}
