internal import EmailAddresses
internal import MailingList
internal import Testing

/// The promises about the rows of a list, whatever the engine; each is checked on an empty list.
package enum ListConformance {
  /// A promise.
  package typealias Promise = ConformancePromise<RowsUnderTest>

  /// All promises.
  package static var promises: [Promise] { purging + concurrency + mails }

  static let now = MembershipRules.now

  static func days(_ days: Int) -> Timestamp { MembershipRules.days(days) }

  /// The promises about rows that no subscriber needs.
  private static let purging: [Promise] = [
    Promise("who never confirmed is deleted thirty days after the last change") { test in
      for (updatedAt, count) in [(days(-30).next, 0), (days(-30), 1)] {
        try test.reset()
        try test.addSubscriber()
        try test.change("UPDATE enlist.subscribers SET updated_at = ?1", .time(updatedAt))
        #expect(try PurgeRun(test.session, test.keys).deletedCount(at: now) == count)
      }
    },
    Promise("links are deleted thirty days after they expired, and links to leave never") { test in
      let rows: [(UInt8, Timestamp?)] = [(1, days(-30)), (2, days(-30).next), (3, nil)]
      for (hash, expiresAt) in rows {
        try test.change(
          """
          INSERT INTO enlist.tokens(
            hash, purpose, subscriber_id, consent_id, made_at, expires_at, message_id, wording
          ) VALUES (?1, 0, 1, ?1, ?2, ?3, '', ?1)
          """,
          .bytes([hash]),
          .time(days(-60)),
          .time(expiresAt)
        )
      }
      try test.purge()
      #expect(try test.bytes("SELECT hash FROM enlist.tokens ORDER BY hash") == [[2], [3]])
    },
    Promise("codes are deleted three days after they expired, and tries without a code at once") {
      test in
      let rows: [(Int64, Timestamp?)] = [(1, days(-3)), (2, days(-3).next), (3, nil)]
      for (id, expiresAt) in rows {
        try test.change(
          "INSERT INTO enlist.codes(subscriber_id, expires_at, tries) VALUES (?1, ?2, 5)",
          .number(id), .time(expiresAt))
      }
      try test.purge()
      #expect(try test.numbers("SELECT subscriber_id FROM enlist.codes") == [2])
    },
    Promise("mailboxes are deleted thirty days after their last mail") { test in
      try test.addMailbox([1], [days(-30), days(-31)])
      try test.addMailbox([2], [days(-30).next, days(-31)])
      try test.purge()
      #expect(try test.bytes("SELECT mac FROM enlist.mailboxes") == [[2]])
    },
    Promise("counts of mails are deleted after seven days") { test in
      for age in [7 * 24, 7 * 24 - 1] as [Int64] {
        try test.change(
          "INSERT INTO enlist.mail_hours(domain, hour, sent) VALUES (?1, ?2, 1)", .bytes([]),
          .number(hour - age))
      }
      try test.purge()
      #expect(try test.numbers("SELECT hour FROM enlist.mail_hours") == [hour - 7 * 24 + 1])
    },
    Promise("tallies of hours are deleted after ninety days, and those of days never") { test in
      for (resolution, age) in [(1, 90 * 24), (1, 90 * 24 - 1), (24, 9000)] as [(Int64, Int64)] {
        try test.change(
          "INSERT INTO enlist.tallies(name, resolution, start, n) VALUES ('', ?1, ?2, 1)",
          .number(resolution), .number(hour - age))
      }
      try test.purge()
      #expect(
        try test.numbers("SELECT start FROM enlist.tallies ORDER BY resolution")
          == [hour - 90 * 24 + 1, hour - 9000]
      )
    },
    Promise("events are deleted after their time, except for the newest") { test in
      let rows: [(Int64, Timestamp)] = [(1, days(-2)), (2, days(-2).next), (3, days(-9))]
      for (position, at) in rows {
        try test.change(
          """
          INSERT INTO enlist.events(position, at, type, subscriber_id, state)
            VALUES (?1, ?2, 1, 1, 1)
          """,
          .number(position),
          .time(at)
        )
      }
      try test.purge()
      let positions = "SELECT position FROM enlist.events ORDER BY position"
      #expect(try test.numbers(positions) == [1, 2, 3])
      try test.purge(eventAge: .seconds(2 * 86_400))
      #expect(try test.numbers(positions) == [2, 3])
    },
  ]

  /// The promises about what another service changes between a read and the change that follows.
  private static let concurrency: [Promise] = [
    Promise("a sign-up between the read of the purge and its deletion keeps the subscriber") {
      test in
      try test.addSubscriber()
      let signUp = Statement("UPDATE enlist.subscribers SET requested_at = ?1")(.time(now))
      let other = InterruptedSession(test.session, beforeChanging: "subscribers", signUp)
      #expect(try PurgeRun(other, test.keys).deletedCount(at: now) == 0)
      #expect(other.isInterrupted)
      #expect(try test.numbers("SELECT id FROM enlist.subscribers") == [RowsUnderTest.subscriber])
      #expect(try test.numbers("SELECT count(*) FROM enlist.consents") == [1])
    },
    Promise("a claim sends no mail to a mailbox that was charged since it was read") { test in
      for times in [[], [days(-1)]] {
        try test.reset()
        try test.addSubscriber()
        try test.addMail()
        if !times.isEmpty { try test.addMailbox(RowsUnderTest.mailbox, times) }
        let charge = RowsUnderTest.charge(RowsUnderTest.mailbox, [now] + times)
        let other = InterruptedSession(test.session, beforeChanging: "mailboxes", charge)
        let batch = try test.claim(in: other)
        #expect(other.isInterrupted)
        #expect(batch.mails.isEmpty && batch.withheld == 1, "\(times)")
        #expect(try test.mailboxTimes == [now] + times)
        #expect(try test.numbers("SELECT count(*) FROM enlist.tokens") == [0])
      }
    },
    Promise("a mail is sent and charged although the bytes of its mailbox are not times") { test in
      for bytes in [[1, 2, 3], [UInt8](repeating: 0xFF, count: 11)] {
        try test.reset()
        try test.addSubscriber()
        try test.addMail()
        let insert = Statement("INSERT INTO enlist.mailboxes(mac, times) VALUES (?1, ?2)")
        let row = insert(.bytes(RowsUnderTest.mailbox), .bytes(bytes))
        #expect(try test.session.change([row]))
        // Nothing that another program has written may keep the relay from its other mails.
        let batch = try test.claim()
        #expect(batch.mails.count + batch.withheld == 1, "\(bytes)")
        #expect(try test.numbers("SELECT count(*) FROM enlist.outbox WHERE is_claimed = 0") == [0])
      }
    },
    Promise("a mail that was not sent gives back no more than its own charge") { test in
      try test.addSubscriber()
      try test.addMail()
      let mail = try #require(try test.claim().mails.first)
      let charge = RowsUnderTest.charge(RowsUnderTest.mailbox, [now.next, now])
      let other = InterruptedSession(test.session, beforeChanging: "mailboxes", charge)
      let unsent = MailSettlement(mail, .unsent(at: now), at: now)
      try ListWriter(other, keys: test.keys, optIn: .double).settle([unsent])
      #expect(other.isInterrupted)
      #expect(try test.mailboxTimes == [now.next])
    },
  ]

  /// The promises about the rows of the outbox.
  private static let mails: [Promise] = [
    Promise("the record of a person has the reply to the last attempt at a mail") { test in
      try test.addSubscriber()
      try test.addMail()
      let outcomes: [(DeliveryOutcome, attempts: Int, error: String?)] = [
        (.released(at: now), 0, nil), (.later(at: now, error: "first"), 1, "first"),
        (.later(at: now, error: "second"), 2, "second"), (.released(at: now), 2, "second"),
      ]
      for (outcome, attempts, error) in outcomes {
        let mail = try #require(try test.claim().mails.first)
        try test.writer.settle([MailSettlement(mail, outcome, at: now)])
        let address = try EmailAddress.sample(RowsUnderTest.key)
        let record = try ListReader(test.session).person(address, nil)
        #expect(record?.unsentMails.map(\.attempts) == [attempts])
        #expect(record?.unsentMails.map(\.lastError) == [error])
      }
    },
    Promise("a claim deletes the rows that send nothing") { test in
      try test.addSubscriber()
      try test.addMail(queue: 0)
      try test.addMail(queue: 1)
      try test.addMail(queue: 0)
      #expect(try test.claim(limit: 0).mails.isEmpty)
      #expect(try test.numbers("SELECT queue FROM enlist.outbox") == [1])
    },
  ]

  /// The hour of ``now``, since 1970.
  private static let hour = now.millisecondsSince1970 / 3_600_000
}

extension Timestamp {
  /// The next millisecond.
  fileprivate var next: Timestamp { adding(.milliseconds(1)) }
}
