package import EmailAddresses
package import MailingList
internal import Signals
internal import Testing

/// A list whose service has two secrets, and what happens to it by other means.
package struct SuppressionsUnderTest: Sendable {
  /// The times of stored suppressions: under the secret in use, and under the one before.
  package static let times = [1000, 2000].map { Timestamp(millisecondsSince1970: $0) }

  /// The empty list, with double opt-in.
  package let list: StoreUnderTest
  /// Stores reasons under the hashes of an address: that of the secret in use, and that of the one
  /// before; each with its own time of ``times``.
  package let store: @Sendable ([Suppression?], EmailAddress) throws -> Void
  /// Returns the reasons under the hashes of an address, in the same order.
  package let stored: @Sendable (EmailAddress) throws -> [Suppression?]
  /// Returns the membership of an address.
  package let membership: @Sendable (EmailAddress) async throws -> Membership
  /// Erases an address by the command.
  package let erase: @Sendable (EmailAddress, ErasureTrace) throws -> ErasedCounts

  /// Makes a list under test.
  package init(
    _ list: StoreUnderTest,
    store: @escaping @Sendable ([Suppression?], EmailAddress) throws -> Void,
    stored: @escaping @Sendable (EmailAddress) throws -> [Suppression?],
    membership: @escaping @Sendable (EmailAddress) async throws -> Membership,
    erase: @escaping @Sendable (EmailAddress, ErasureTrace) throws -> ErasedCounts
  ) {
    self.list = list
    self.store = store
    self.stored = stored
    self.membership = membership
    self.erase = erase
  }
}

/// The promises of every database about suppressions; each is checked on an empty list of its own.
package enum SuppressionConformance {
  /// A promise.
  package typealias Promise = ConformancePromise<SuppressionsUnderTest>

  /// All promises.
  package static var promises: [Promise] { secrets + reasons + erasure + spellings }

  /// The promises about addresses that have been suppressed with two secrets.
  private static let secrets: [Promise] = [
    Promise("of the suppressions with two secrets the stronger one counts") { test in
      for reasons in pairs {
        let address = try address(of: reasons)
        try test.store(reasons, address)
        try await test.list.add(try .sample(address.normalized, at: 1_800_000_000_000))
        let membership = try await test.membership(address)
        #expect(membership.suppression == strongest(reasons), "\(reasons)")
        // Of equal ones, that of the secret in use.
        let index = strongest(reasons).flatMap(reasons.firstIndex)
        let since = index.map { SuppressionsUnderTest.times[$0] }
        #expect(membership.suppressedAt == since, "\(reasons)")
      }
    },
    Promise("a suppression leaves the stronger reason, under the secret in use") { test in
      for reasons in pairs {
        let address = try address(of: reasons)
        try test.store(reasons, address)
        let result = try await test.list.suppress(address, .complaint, at: later(1))
        let expected = strongest(reasons + [.complaint])
        let isNew = strongest(reasons)?.rawValue ?? 0 < Suppression.complaint.rawValue
        #expect(result == (isNew ? .unlisted : .already), "\(reasons)")
        #expect(try test.stored(address) == [expected, nil], "\(reasons)")
      }
    },
    Promise("a link that confirms ends the suppressions with both secrets") { test in
      let mail = try #require(try await test.list.signUp(at: later(0)).mail)
      try test.store([.hardBounce, .hardBounce], mail.recipient)
      _ = try await test.list.confirm(mail, at: later(1))
      #expect(try await test.list.state() == .subscribed)
      #expect(try test.stored(mail.recipient) == [nil, nil])
    },
    Promise("a code that confirms ends the suppressions with both secrets") { test in
      let (signUp, sent) = try await test.list.signUp(at: later(0))
      let mail = try #require(sent)
      try test.store([.hardBounce, .hardBounce], mail.recipient)
      _ = try await test.list.type(mail, signUp, at: later(1))
      #expect(try await test.list.state() == .subscribed)
      #expect(try test.stored(mail.recipient) == [nil, nil])
    },
    Promise("nobody is imported who was suppressed with either secret") { test in
      for reasons in pairs {
        let address = try address(of: reasons)
        try test.store(reasons, address)
        let expected: ImportResult = strongest(reasons) == nil ? .new : .suppressed
        #expect(try await imported(address.normalized, to: test) == expected, "\(reasons)")
      }
    },
  ]

  /// The promises about a suppression without a reason, which is set by hand.
  private static let reasons: [Promise] = [
    Promise("a suppression without a reason is the operator's") { test in
      let mail = try #require(try await test.list.signUp(at: later(0)).mail)
      let address = mail.recipient
      try test.list.setState(.suppressed, address)
      #expect(try await test.membership(address).suppression == .operator)
      #expect(try await test.list.status(mail, at: later(1)) == .gone)
      #expect(try await test.list.confirm(mail, at: later(1)) == .refused)
      for reason in [Suppression.hardBounce, .complaint, .operator] {
        #expect(try await test.list.suppress(address, reason, at: later(2)) == .already)
      }
      let late = later(40 * 86_400)
      #expect(try await test.list.signUp(at: late).mail == nil)
      #expect(try await test.list.renew(mail, at: late) == true)
      #expect(try await test.list.deliverMail(at: late) == nil)
      #expect(try await test.list.state() == .suppressed)
      #expect(try await test.list.suppress(address, .objected, at: late) == .suppressed)
      #expect(try await test.membership(address).suppression == .objected)
    }
  ]

  /// The promises about suppressed people who are erased.
  private static let erasure: [Promise] = [
    Promise("a suppression outlives the erasure of the person") { test in
      for reason in Suppression.allCases {
        let address = try EmailAddress.sample("\(reason.name)@example.org")
        try await test.list.add(try .sample(address.normalized, at: 1_800_000_000_000))
        _ = try await test.list.suppress(address, reason, at: later(1))
        let counts = ErasedCounts(subscribers: 1, consents: 1, suppressions: 1)
        #expect(try test.erase(address, .imports) == counts)
        #expect(try test.stored(address) == [reason, nil])
        try await test.list.add(try .sample(address.normalized, at: 1_800_000_002_000))
        let membership = try await test.membership(address)
        #expect(membership.state == .suppressed)
        #expect(membership.suppression == reason)
        #expect(membership.suppressedAt == later(1))
      }
    },
    Promise("a suppression without a reason outlives the erasure of the person") { test in
      let (signUp, _) = try await test.list.signUp(at: later(0))
      try test.list.setState(.suppressed, signUp.address)
      _ = try test.erase(signUp.address, .imports)
      #expect(try test.stored(signUp.address) == [.operator, nil])
    },
    Promise("erasing a person leaves the stronger reason, under the secret in use") { test in
      for reasons in pairs {
        let address = try address(of: reasons)
        try await test.list.add(try .sample(address.normalized, at: 1_800_000_000_000))
        _ = try await test.list.suppress(address, .complaint, at: later(1))
        try test.store(reasons, address)
        _ = try test.erase(address, .imports)
        let expected = strongest(reasons + [.complaint])
        #expect(try test.stored(address) == [expected, nil], "\(reasons)")
      }
    },
    Promise("a person who was not suppressed and is erased may sign up afresh") { test in
      let (signUp, _) = try await test.list.signUp(at: later(0))
      _ = try test.erase(signUp.address, .imports)
      #expect(try test.stored(signUp.address) == [nil, nil])
      #expect(try await test.list.signUp(at: later(86_400)).mail != nil)
    },
    Promise("an erasure concerns addresses that are not on the list, also those of a backup") {
      test in
      for (number, trace) in [ErasureTrace.imports, .everything].enumerated() {
        let address = try EmailAddress.sample("ada\(number)@example.org")
        #expect(try test.erase(address, trace).subscribers == 0)
        #expect(try await imported(address.normalized, to: test) == .suppressed, "\(trace)")
      }
    },
    Promise("an erased address can be suppressed") { test in
      for reason in Suppression.allCases {
        let address = try EmailAddress.sample("\(reason.name)@example.org")
        try await test.list.add(try .sample(address.normalized, at: 1_800_000_000_000))
        _ = try test.erase(address, .imports)
        for result in [SuppressionResult.unlisted, .already] {
          #expect(try await test.list.suppress(address, reason, at: later(1)) == result)
          #expect(try test.stored(address) == [reason, nil])
        }
      }
    },
    Promise("an erasure that forgets leaves no suppression, whether the person was listed or not") {
      test in
      for (number, reasons) in pairs.enumerated() {
        let address = try address(of: reasons)
        if number.isMultiple(of: 2) {
          try await test.list.add(try .sample(address.normalized, at: 1_800_000_000_000))
          _ = try await test.list.suppress(address, .objected, at: later(1))
        }
        try test.store(reasons, address)
        _ = try test.erase(address, .nothing)
        #expect(try test.stored(address) == [nil, nil], "\(reasons)")
      }
    },
  ]

  /// All pairs of reasons that two secrets can have for an address.
  private static let pairs: [[Suppression?]] = {
    let reasons = [nil] + Suppression.allCases.map(Optional.some)
    return reasons.flatMap { current in reasons.map { [current, $0] } }
  }()

  /// Returns the strongest of some reasons.
  private static func strongest(_ reasons: [Suppression?]) -> Suppression? {
    reasons.compactMap(\.self).max { $0.rawValue < $1.rawValue }
  }

  /// Makes an address for a pair of reasons.
  private static func address(of reasons: [Suppression?]) throws -> EmailAddress {
    let numbers = reasons.map { "\($0?.rawValue ?? 0)" }.joined()
    return try .sample("ada\(numbers)@example.org")
  }

  /// Imports a subscribed person, and returns what became of them.
  static func imported(
    _ address: String, to test: SuppressionsUnderTest
  ) async throws -> ImportResult? {
    let subscribed = Membership(state: .subscribed, confirmedAt: later(2))
    let person = try ImportedPerson.sample(address, subscribed, at: later(2))
    return try await test.list.store.add([person], by: .command, at: later(2)).last()?.first
  }

  static func later(_ seconds: Int64) -> Timestamp {
    SubscriberStoreConformance.later(seconds)
  }
}
