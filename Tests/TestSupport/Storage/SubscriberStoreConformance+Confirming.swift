internal import EmailAddresses
internal import MailingList
internal import Signals
internal import Testing

extension SubscriberStoreConformance {
  /// The promises about signing up with double opt-in.
  static let signingUp: [Promise] = [
    Promise("a new subscriber is pending, and gets a mail") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      #expect(mail.kind == .confirm)
      #expect(try await test.state() == .pending)
      #expect(try await test.subscribers().first?.confirmedAt == nil)
    },
    Promise("a public sign-up never changes the state of a known address") { test in
      try await test.add(try .sample(at: start.millisecondsSince1970))
      for state in Subscriber.State.allCases {
        try test.setState(state, try .sample("ada@example.org"))
        try await test.add(try .sample(at: later(1).millisecondsSince1970))
        #expect(try await test.state() == state)
      }
    },
    Promise("a subscriber gets a mail that says so") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      _ = try await test.confirm(mail, at: later(1))
      #expect(try await test.signUp(at: later(86_401)).mail?.kind == .already)
    },
  ]

  /// The promises about links to confirm.
  static let confirming: [Promise] = [
    Promise("a subscriber has the fields of the sign-up that was confirmed") { test in
      let (ana, bea) = (#"{"name":"Ana"}"#, #"{"name":"Bea"}"#)
      let mail = try #require(try await test.signUp(at: start, fields: ana).mail)
      #expect(try await test.subscribers().first?.fields == nil)
      _ = try await test.signUp(at: later(1), fields: bea)
      _ = try await test.confirm(mail, at: later(2))
      #expect(try await test.subscribers().first?.fields == ana)
      _ = try await test.signUp(at: later(3), fields: bea)
      #expect(try await test.subscribers().first?.fields == ana)
    },
    Promise("a new link has the fields of the old one") { test in
      let fields = #"{"name":"Ana"}"#
      let mail = try #require(try await test.signUp(at: start, fields: fields).mail)
      let time = later(8 * 86_400)
      #expect(try await test.renew(mail, at: time) == true)
      let renewed = try #require(try await test.deliverMail(at: time))
      _ = try await test.confirm(renewed, at: time)
      #expect(try await test.subscribers().first?.fields == fields)
    },
    Promise("a link confirms once, and afterwards nothing is left to do") { test in
      let mail = try #require(try await test.signUp(at: start, next: "https://a.example/b").mail)
      #expect(try await test.status(mail, at: later(1)) == .usable)
      let person = ConfirmedSubscriber(id: mail.subscriberID, next: "https://a.example/b")
      #expect(try await test.confirm(mail, at: later(1)) == .confirmed(person))
      #expect(try await test.state() == .subscribed)
      #expect(try await test.subscribers().first?.confirmedAt == later(1))
      #expect(try await test.status(mail, at: later(2)) == .done)
      #expect(try await test.confirm(mail, at: later(2)) == .already(person))
      #expect(try await test.subscribers().first?.confirmedAt == later(1))
    },
    Promise("a link expires after seven days, except for a subscriber") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      let (before, after) = (later(7 * 86_400 - 1), later(7 * 86_400))
      #expect(try await test.status(mail, at: before) == .usable)
      #expect(try await test.status(mail, at: after) == .gone)
      #expect(try await test.confirm(mail, at: after) == .refused)
      #expect(try await test.state() == .pending)
      _ = try await test.confirm(mail, at: before)
      #expect(try await test.status(mail, at: after) == .done)
    },
    Promise("unknown tokens and tokens for another purpose lead nowhere") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      let credentials = MailCredentials.sample(of: mail)
      let confirm = try #require(credentials.confirmHash)
      let (request, store) = (MembershipRequest(at: later(1)), test.store)
      let none = [UInt8](repeating: 9, count: 32)
      for hash in [none, credentials.unsubscribeHash] {
        #expect(try await store.link(hash, for: .confirm, at: later(1)).values() == [.unknown])
        #expect(try await store.confirm(hash, request).values() == [.unknown])
        #expect(try await test.renew(hash, at: later(1)) == false)
      }
      for hash in [none, confirm] {
        #expect(try await store.link(hash, for: .unsubscribe, at: later(1)).values() == [.unknown])
        #expect(try await store.leave(.link(hash), by: .link, request).values() == [.unknown])
      }
      #expect(try await test.state() == .pending)
    },
    Promise("a renewed link confirms when the old one has expired") { test in
      let mail = try #require(try await test.signUp(at: start, next: "https://a.example/b").mail)
      let time = later(8 * 86_400)
      #expect(try await test.renew(mail, at: time) == true)
      let renewed = try #require(try await test.deliverMail(at: time))
      #expect(renewed.kind == .confirm)
      #expect(try await test.state() == .pending)
      let person = ConfirmedSubscriber(id: mail.subscriberID, next: "https://a.example/b")
      #expect(try await test.confirm(renewed, at: time) == .confirmed(person))
    },
    Promise("a renewal spends the budget of the mailbox") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      #expect(try await test.renew(mail, at: later(60)) == true)
      #expect(try await test.deliverMail(at: later(60)) == nil)
    },
    Promise("of the requests of one link for a new one, one in ten minutes is stored") { test in
      let address = try EmailAddress.sample("ada@example.org")
      let mail = try #require(try await test.signUp(at: start).mail)
      for (seconds, count) in [
        (700, 2), (700, 2), (701, 2), (1299, 2), (1300, 3), (1301, 3), (1899, 3), (1900, 4),
      ] {
        #expect(try await test.renew(mail, at: later(Int64(seconds))) == true)
        #expect(try test.consentCount(address) == count, "after \(seconds) s")
      }
      let batch = try await test.store.outbox.claim(
        MailClaim(limit: 10, now: later(2000), lease: .seconds(180)) { .sample(of: $0) }
      )
      .values().first
      #expect(batch?.mails.count == 1)
      #expect(batch?.withheld == 2)
    },
    Promise("each link requests a new one, also the link of a mail that another has caused") {
      test in
      let address = try EmailAddress.sample("ada@example.org")
      let mail = try #require(try await test.signUp(at: start).mail)
      _ = try await test.renew(mail, at: later(700))
      let renewed = try #require(try await test.deliverMail(at: later(700)))
      #expect(try await test.renew(renewed, at: later(701)) == true)
      #expect(try test.consentCount(address) == 3)
    },
    Promise("a link that has confirmed requests a new one after leaving") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      _ = try await test.confirm(mail, at: later(700))
      _ = try await test.leave(mail, at: later(701))
      #expect(try await test.renew(mail, at: later(702)) == true)
      #expect(try await test.deliverMail(at: later(702))?.kind == .confirm)
    },
    Promise("each subscription to a signal confirms, and none confirms nothing") { test in
      let mail = try #require(try await test.signUp(at: start).mail)
      let hash = try #require(MailCredentials.sample(of: mail).confirmHash)
      _ = test.store.confirm(hash, MembershipRequest(at: later(1)))
      #expect(try await test.state() == .pending)
    },
  ]

  /// The promises about codes, and about the person of an execution.
  static let codes: [Promise] = [
    Promise("the code of the last mail confirms the person of an execution") { test in
      let now = Timestamp.now
      let (signUp, sent) = try await test.signUp(at: now)
      let mail = try #require(sent)
      let unconfirmed = ExecutionMembership(subscriberID: mail.subscriberID, confirmedAt: nil)
      #expect(try await test.store.membership(of: signUp.id).values() == [unconfirmed])
      #expect(try await test.type(nil, signUp, at: now) == .refused)
      let person = ConfirmedSubscriber(id: mail.subscriberID, next: nil)
      #expect(try await test.type(mail, signUp, at: now) == .confirmed(person))
      #expect(try await test.type(mail, signUp, at: now) == .already(person))
      let confirmed = ExecutionMembership(subscriberID: mail.subscriberID, confirmedAt: now)
      #expect(try await test.store.membership(of: signUp.id).values() == [confirmed])
    },
    Promise("after five tries no code is right, until another mail is sent") { test in
      let (signUp, sent) = try await test.signUp(at: start)
      let mail = try #require(sent)
      for _ in 0..<5 { #expect(try await test.type(nil, signUp, at: later(1)) == .refused) }
      #expect(try await test.type(mail, signUp, at: later(1)) == .refused)
      let next = try await test.signUp(at: later(700))
      let newMail = try #require(next.mail)
      #expect(try await test.type(mail, signUp, at: later(701)) == .refused)
      let person = ConfirmedSubscriber(id: mail.subscriberID, next: nil)
      #expect(try await test.type(newMail, signUp, at: later(701)) == .confirmed(person))
    },
    Promise("another attempt of a mail does not give its code more tries") { test in
      let signUp = try SignUp.sample(at: start.millisecondsSince1970)
      try await test.add(signUp)
      let mail = try #require(try await test.claimMail(at: start))
      for _ in 0..<10 { #expect(try await test.type(nil, signUp, at: later(1)) == .refused) }
      let settlement = MailSettlement(mail, .later(at: later(60), error: "deferred"), at: later(2))
      _ = try await test.store.outbox.settle([settlement], claiming: nil).values()
      let again = try #require(try await test.claimMail(at: later(60)))
      #expect(again.id == mail.id)
      #expect(try await test.type(again, signUp, at: later(61)) == .refused)
      #expect(try await test.state() == .pending)
    },
    Promise("a code expires after thirty minutes") { test in
      let (signUp, sent) = try await test.signUp(at: start)
      let mail = try #require(sent)
      #expect(try await test.type(mail, signUp, at: later(1800)) == .refused)
      #expect(try await test.state() == .pending)
    },
    Promise("without a code every code is wrong, and an unknown execution has none") { test in
      let signUp = try SignUp.sample(at: start.millisecondsSince1970)
      try await test.add(signUp)
      for _ in 0..<12 { #expect(try await test.type(nil, signUp, at: later(1)) == .refused) }
      let other = try SignUp.sample(at: start.millisecondsSince1970)
      #expect(try await test.type(nil, other, at: later(1)) == .unknown)
      #expect(try await test.type(nil, signUp, at: later(86_400)) == .unknown)
    },
    Promise("an execution is unknown after a day") { test in
      let now = Timestamp.now
      let old = try SignUp.sample(at: now.adding(.seconds(-86_401)).millisecondsSince1970)
      let recent = try SignUp.sample(at: now.adding(.seconds(-43_200)).millisecondsSince1970)
      try await test.add(old)
      try await test.add(recent)
      #expect(try await test.store.hasStored(old.id).values() == [false])
      #expect(try await test.store.membership(of: old.id).values() == [nil])
      #expect(try await test.store.hasStored(recent.id).values() == [true])
    },
  ]
}
