import MailingList
import Testing

/// The transitions of a membership, as a table.
@Suite struct MembershipTests {
  struct SignUpRow: Sendable {
    let before: Membership
    let day: Double
    let state: Subscriber.State
    let mail: MailKind?

    init(_ before: Membership, on day: Double = 1, _ state: Subscriber.State, _ mail: MailKind?) {
      self.before = before
      self.day = day
      self.state = state
      self.mail = mail
    }
  }

  @Test(
    arguments: [
      SignUpRow(.none, .pending, .confirm),
      SignUpRow(.pending, .pending, .confirm),
      SignUpRow(.subscribed, .subscribed, .already),
      SignUpRow(.former, .unsubscribed, .confirm),
      SignUpRow(.former, on: 40, .unsubscribed, .confirm),
      SignUpRow(.stopped, .unsubscribed, nil),
      SignUpRow(.stopped, on: 29.9, .unsubscribed, nil),
      SignUpRow(.stopped, on: 30, .unsubscribed, .confirm),
      SignUpRow(.suppressed(.hardBounce), .suppressed, nil),
      SignUpRow(.suppressed(.hardBounce), on: 29.9, .suppressed, nil),
      SignUpRow(.suppressed(.hardBounce), on: 30, .suppressed, .confirm),
      SignUpRow(.suppressed(.complaint), on: 40, .suppressed, nil),
      SignUpRow(.suppressed(.operator), on: 40, .suppressed, nil),
      SignUpRow(.suppressed(.objected), on: 40, .suppressed, nil),
    ]
  )
  func `a sign-up with double opt-in changes only an unknown address`(row: SignUpRow) {
    let (after, mail) = row.before.signUp(at: day(row.day), optIn: .double)
    #expect(after.state == row.state)
    #expect(mail == row.mail)
    if row.before != .none { #expect(after == row.before) }
  }

  @Test(
    arguments: [
      (.none, .subscribed(at: day(1))),
      (.pending, .subscribed(at: day(1))),
      (.subscribed, .subscribed),
      (.former, .subscribed(at: day(1))),
      (.stopped, .subscribed(at: day(1))),
      (.suppressed(.hardBounce), .suppressed(.hardBounce)),
      (.suppressed(.complaint), .suppressed(.complaint)),
      (.suppressed(.operator), .suppressed(.operator)),
      (.suppressed(.objected), .suppressed(.objected)),
    ] as [(Membership, Membership)]
  )
  func `a sign-up with single opt-in subscribes everyone who is not suppressed`(
    before: Membership, expected: Membership
  ) {
    let (after, mail) = before.signUp(at: day(1), optIn: .single)
    #expect(after == expected)
    #expect(mail == nil)
  }

  @Test(
    arguments: [
      (.none, .gone, .gone),
      (.pending, .confirmed(.subscribed(at: day(2))), .confirmed(.subscribed(at: day(2)))),
      (.subscribed, .already, .already),
      (.former, .confirmed(.subscribed(at: day(2))), .gone),
      (.stopped, .confirmed(.subscribed(at: day(2))), .gone),
      (.suppressed(.hardBounce), .confirmed(.subscribed(at: day(2))), .gone),
      (.suppressed(.complaint), .gone, .gone),
      (.suppressed(.operator), .gone, .gone),
      (.suppressed(.objected), .gone, .gone),
      (Membership(state: .suppressed), .gone, .gone),
    ] as [(Membership, Membership.Confirmation, Membership.Confirmation)]
  )
  func `a confirmation needs a link that is newer than leaving`(
    before: Membership, newer: Membership.Confirmation, older: Membership.Confirmation
  ) {
    #expect(before.confirm(at: day(2), proofMadeAt: day(1)) == newer)
    #expect(before.confirm(at: day(2), proofMadeAt: day(-1)) == older)
  }

  @Test func `a confirmation clears rejections`() {
    let before = Membership(state: .pending, rejections: 1)
    #expect(before.confirm(at: day(2), proofMadeAt: day(1)) == .confirmed(.subscribed(at: day(2))))
  }

  @Test(
    arguments: [
      (.none, nil),
      (.pending, Membership(state: .unsubscribed, unsubscribedAt: day(1))),
      (
        .subscribed, Membership(state: .unsubscribed, confirmedAt: day(-40), unsubscribedAt: day(1))
      ),
      (.former, nil),
      (.stopped, nil),
      (.suppressed(.hardBounce), nil),
      (.suppressed(.objected), nil),
    ] as [(Membership, Membership?)]
  )
  func `leaving changes only someone on the list`(before: Membership, after: Membership?) {
    #expect(before.leave(at: day(1)) == after)
  }

  @Test(arguments: Membership.samples)
  func `the second rejection in a row suppresses`(before: Membership) throws {
    guard let first = before.rejected(at: day(1)) else {
      #expect(before.state == nil || before.state == .suppressed)
      return
    }
    #expect(first.state == before.state)
    #expect(first.rejections == 1)
    let second = try #require(first.rejected(at: day(2)))
    #expect(second.state == .suppressed)
    #expect(second.suppression == .hardBounce)
    #expect(second.suppressedAt == day(2))
    #expect(second.confirmedAt == before.confirmedAt)
    #expect(second.rejected(at: day(3)) == nil)
  }

  @Test func `an accepted mail between two rejections prevents the suppression`() throws {
    let first = try #require(Membership.subscribed.rejected(at: day(1)))
    let delivered = try #require(first.delivered())
    #expect(delivered == .subscribed)
    #expect(delivered.delivered() == nil)
    #expect(delivered.rejected(at: day(3))?.state == .subscribed)
  }

  @Test(arguments: Suppression.allCases, Suppression.allCases)
  func `a weaker reason does not replace a stronger one`(first: Suppression, second: Suppression) {
    let after = Membership.suppressed(first).suppress(second, at: day(1))
    if second.rawValue > first.rawValue {
      #expect(after?.suppression == second)
      #expect(after?.suppressedAt == day(1))
    } else {
      #expect(after == nil)
    }
  }

  @Test(arguments: Suppression.allCases)
  func `suppresses everyone who is known`(reason: Suppression) {
    #expect(Membership.none.suppress(reason, at: day(1)) == nil)
    for before in [Membership.pending, .subscribed, .former, .stopped] {
      #expect(before.suppress(reason, at: day(1))?.state == .suppressed)
    }
  }

  struct ImportRow: Sendable {
    let before: Membership
    let other: Membership
    let leftAt: Timestamp?
    let after: Membership?

    init(_ before: Membership, _ other: Membership, left: Double? = nil, _ after: Membership?) {
      self.before = before
      self.other = other
      leftAt = left.map(day)
      self.after = after
    }
  }

  @Test(
    arguments: [
      ImportRow(.none, .subscribed, .subscribed),
      ImportRow(.none, .former, .former),
      ImportRow(.none, .suppressed(.complaint), .suppressed(.complaint)),
      ImportRow(.pending, .subscribed, .subscribed),
      ImportRow(.pending, .pending, nil),
      ImportRow(.pending, .former, left: 0, .stopped),
      ImportRow(.subscribed, .subscribed(at: day(0)), nil),
      ImportRow(.subscribed, .pending, nil),
      ImportRow(.subscribed, .former, nil),
      ImportRow(.subscribed, .former, left: -50, nil),
      ImportRow(.subscribed, .former, left: 0, .former),
      ImportRow(.subscribed(at: day(0)), .former, left: 0, nil),
      ImportRow(.former, .subscribed(at: day(1)), nil),
      ImportRow(.former, .pending, nil),
      ImportRow(.stopped, .former, left: 2, nil),
    ]
      + Suppression.allCases.flatMap { reason in
        [
          ImportRow(.suppressed(reason), .subscribed, nil),
          ImportRow(.suppressed(reason), .suppressed(.objected), nil),
          ImportRow(.former, .suppressed(reason), Membership.former.suppress(reason, at: day(3))),
          ImportRow(
            .subscribed, .suppressed(reason), Membership.subscribed.suppress(reason, at: day(3))),
        ]
      }
  )
  func `an import never gives back what a person took away`(row: ImportRow) {
    let after = row.before.importing(row.other, leftAt: row.leftAt, at: day(3))
    #expect(after == row.after)
  }
}
