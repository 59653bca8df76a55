import MailingList
import Testing

/// The decisions about a mail that is due, as a table.
@Suite struct MailGrantTests {
  struct Row: Sendable {
    let kind: MailKind
    let membership: Membership
    /// The ages of the mails to the mailbox, in minutes before day 31.
    let ages: [Double]
    let grant: MailGrant

    init(_ kind: MailKind, _ membership: Membership, ages: [Double] = [], _ grant: MailGrant) {
      self.kind = kind
      self.membership = membership
      self.ages = ages
      self.grant = grant
    }

    func decision(
      createdOn created: Double = 31, isGranted: Bool = false, hasRoom: Bool = true
    ) -> MailGrant {
      MailGrant(
        kind, createdAt: day(created), isGranted: isGranted, membership: membership,
        mailbox: MailboxHistory(ages.map { day(31 - $0 / 1440) }), hasRoom: hasRoom, now: day(31))
    }
  }

  @Test(
    arguments: [
      Row(.confirm, .none, .drop),
      Row(.confirm, .pending, .send),
      Row(.confirm, .subscribed, .drop),
      Row(.confirm, .former, .send),
      Row(.confirm, .stopped, .send),
      Row(.confirm, .suppressed(.hardBounce), .send),
      Row(.confirm, .suppressed(.complaint), .drop),
      Row(.confirm, .suppressed(.operator), .drop),
      Row(.confirm, .suppressed(.objected), .drop),
      Row(.already, .none, .drop),
      Row(.already, .pending, .drop),
      Row(.already, .subscribed, .send),
      Row(.already, .former, .drop),
      Row(.already, .stopped, .drop),
      Row(.already, .suppressed(.hardBounce), .drop),
      Row(.already, .suppressed(.complaint), .drop),
      Row(.already, .suppressed(.operator), .drop),
      Row(.already, .suppressed(.objected), .drop),
    ]
  )
  func `drops what is not wanted any more, also what was granted`(row: Row) {
    #expect(row.decision() == row.grant)
    #expect(row.decision(isGranted: true) == row.grant)
  }

  @Test func `holds only mails that would be sent, and that were not granted before`() {
    for (kind, membership, grant) in [
      (.confirm, .pending, .hold), (.already, .subscribed, .hold), (.confirm, .subscribed, .drop),
    ] as [(MailKind, Membership, MailGrant)] {
      let row = Row(kind, membership, grant)
      #expect(row.decision(hasRoom: false) == grant)
      let isWanted = grant == .hold
      #expect(row.decision(isGranted: true, hasRoom: false) == (isWanted ? .send : .drop))
      let spent = Row(kind, membership, ages: [5], .withhold)
      #expect(spent.decision(hasRoom: false) == (isWanted ? .withhold : .drop))
    }
  }

  @Test(arguments: Membership.samples.filter { $0.endedAt != nil }, MailKind.allCases)
  func `drops mails that are older than leaving or suppression`(
    membership: Membership, kind: MailKind
  ) {
    let row = Row(kind, membership, .drop)
    #expect(row.decision(createdOn: -1) == .drop)
    #expect(row.decision(createdOn: -1, isGranted: true) == .drop)
  }

  @Test func `a sign-up in the millisecond of leaving gets its mail, and the link confirms`() {
    #expect(Row(.confirm, .stopped, .send).decision(createdOn: 0) == .send)
    let confirmation = Membership.stopped.confirm(at: day(2), proofMadeAt: day(0))
    #expect(confirmation == .confirmed(.subscribed(at: day(2))))
  }

  private static let daily: [Double] = [1441, 2881, 4321, 5761]

  @Test(
    arguments: [
      // One within ten minutes.
      Row(.confirm, .pending, ages: [9.9], .withhold),
      Row(.confirm, .pending, ages: [10], .send),
      Row(.confirm, .pending, ages: [-5], .withhold),
      // Three within a day.
      Row(.confirm, .pending, ages: [11, 700], .send),
      Row(.confirm, .pending, ages: [11, 700, 1439], .withhold),
      Row(.confirm, .pending, ages: [11, 700, 1440], .send),
      // Five within a week.
      Row(.confirm, .pending, ages: daily, .send),
      Row(.confirm, .pending, ages: daily + [10_079], .withhold),
      Row(.confirm, .pending, ages: daily + [10_080], .send),
      // Mails before the last confirmation do not count.
      Row(.already, .subscribed(at: day(30.5)), ages: [1442, 1443, 1444, 1445, 1446], .send),
      Row(.confirm, .former, ages: [9.9], .withhold),
      // "Already" needs a day without any mail, also one before the confirmation.
      Row(.already, .subscribed, ages: [1439], .withhold),
      Row(.already, .subscribed, ages: [1440], .send),
      Row(.already, .subscribed(at: day(30.99)), ages: [1000], .withhold),
      // A bounced address needs 30 days without any mail.
      Row(.confirm, .suppressed(.hardBounce), ages: [43_199], .withhold),
      Row(.confirm, .suppressed(.hardBounce), ages: [43_200], .send),
    ]
  )
  func `withholds what exceeds the budget of the mailbox`(row: Row) {
    #expect(row.decision() == row.grant)
    // A repeated attempt does not count again.
    #expect(row.decision(isGranted: true) == .send)
  }

  @Test(
    arguments: [
      // The ages, in minutes, of mails to the address without a subaddress, and of those to others.
      ([], [1, 2, 3, 4, 5], true),
      ([1440], [1, 2, 3, 4, 5], true),
      ([1439], [1, 2], false),
      ([1439], [11], true),
      ([1439], [9], false),
      // What the address itself has used up counts.
      ([1441, 2881, 4321, 5761, 7201], [], false),
    ] as [([Double], [Double], Bool)]
  )
  func `other spellings cannot use up the first mail of a day to a plain address`(
    own: [Double], other: [Double], isSent: Bool
  ) {
    func decision(_ own: [Double], _ other: [Double], hashLength: Int) -> MailGrant {
      func history(_ ages: [Double]) -> MailboxHistory {
        MailboxHistory(ages.map { day(31 - $0 / 1440) })
      }
      let mailbox = MailboxHistory(
        own: history(own), other: history(other), of: [UInt8](repeating: 1, count: hashLength),
        at: day(31))
      return MailGrant(
        .confirm, createdAt: day(31), isGranted: false, membership: .pending, mailbox: mailbox,
        now: day(31))
    }
    #expect(decision(own, other, hashLength: 32) == (isSent ? .send : .withhold))
    // An address with a subaddress has no such privilege.
    if other.count == 5 { #expect(decision(own, other, hashLength: 33) == .withhold) }
  }

  @Test func `a history forgets a mail that was not delivered`() {
    let history = MailboxHistory([3, 2, 2, 1].map { day($0) })
    #expect(history.removing(day(2))?.times == [3, 2, 1].map { day($0) })
    #expect(history.removing(day(1))?.times == [3, 2, 2].map { day($0) })
    #expect(history.removing(day(4)) == nil)
  }

  @Test func `a history keeps the latest mails`() {
    var history = MailboxHistory()
    for number in [3, 1, 7, 2, 5, 6, 4] as [Double] { history = history.adding(day(number)) }
    #expect(history.times == [7, 6, 5, 4, 3].map { day($0) })
    #expect(MailboxHistory(history.times.reversed()) == history)
  }

  @Test func `no stored time overflows`() {
    let history = MailboxHistory([.distantPast, .distantFuture])
    #expect(history.count(within: .seconds(600), before: .distantPast) == 1)
    #expect(history.count(within: .seconds(600), before: .distantFuture) == 1)
    #expect(Timestamp.distantFuture.adding(.seconds(1)) == .distantFuture)
    #expect(Timestamp.distantPast.adding(.seconds(-1)) == .distantPast)
    #expect(day(0).adding(.seconds(Int64.max)) == .distantFuture)
    #expect(day(0).adding(.seconds(Int64.min)) == .distantPast)
    #expect(
      day(0).adding(.milliseconds(-1500))
        == day(0).adding(.milliseconds(-500))
        .adding(.seconds(-1))
    )
  }
}
