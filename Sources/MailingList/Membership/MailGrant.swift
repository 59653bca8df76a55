/// The decision about a mail that is due.
package enum MailGrant: Hashable, Sendable {
  /// The mail is no longer wanted: it is deleted.
  case drop
  /// The budget of the mailbox is spent: the mail is deleted, and counted.
  case withhold
  /// The budget of the domain or of the service is spent: the mail waits for room.
  case hold
  /// The mail is sent; the mailbox is charged, unless the mail was granted before.
  case send

  /// A number of mails that a mailbox may get within a duration.
  package struct Budget: Hashable, Sendable {
    package let count: Int
    package let duration: Duration
  }

  /// The budgets of a mailbox; mails before the subscriber's last confirmation do not count.
  package static let budgets = [
    Budget(count: 1, duration: .seconds(600)),
    Budget(count: 3, duration: .seconds(86_400)),
    Budget(count: 5, duration: .seconds(7 * 86_400)),
  ]

  /// The time after a mail in which no further mail to an address without a subaddress counts as
  /// the first.
  package static let firstMailPeriod: Duration = .seconds(86_400)
  /// The time after any mail in which no ``MailKind/already`` is sent.
  package static let alreadyPause: Duration = .seconds(86_400)
  /// The time after any mail in which no mail is sent to a bounced address.
  package static let bouncePause: Duration = .seconds(30 * 86_400)

  /// Decides about a mail at the time when a relay claims it.
  ///
  /// The mailbox has already been charged for a mail that was granted before.
  ///
  /// - Parameter hasRoom: Whether ``MailBudgets`` leave room for the mail.
  package init(
    _ kind: MailKind, createdAt: Timestamp, isGranted: Bool, membership: Membership,
    mailbox: MailboxHistory, hasRoom: Bool = true, now: Timestamp
  ) {
    guard Self.isWanted(kind, createdAt: createdAt, membership: membership) else {
      self = .drop
      return
    }
    if isGranted {
      self = .send
      return
    }
    let isSpent = Self.budgets.contains { budget in
      mailbox.count(within: budget.duration, before: now, after: membership.confirmedAt)
        >= budget.count
    }
    let isPaused = Self.pause(of: kind, to: membership)
      .map { mailbox.count(within: $0, before: now) > 0 }
    if isSpent || isPaused == true {
      self = .withhold
    } else {
      self = hasRoom ? .send : .hold
    }
  }

  private static func isWanted(
    _ kind: MailKind, createdAt: Timestamp, membership: Membership
  ) -> Bool {
    if let endedAt = membership.endedAt, createdAt <= endedAt { return false }
    return switch (membership.state, kind) {
    case (nil, _): false
    case (.subscribed, .confirm): false
    case (.subscribed, .already): true
    case (.pending, .confirm), (.unsubscribed, .confirm): true
    case (.suppressed, .confirm): membership.suppression?.endsWithConfirmation ?? false
    case (.pending, .already), (.unsubscribed, .already), (.suppressed, .already): false
    }
  }

  /// Returns the time for which any mail to the mailbox withholds this one.
  private static func pause(of kind: MailKind, to membership: Membership) -> Duration? {
    switch (membership.suppression, kind) {
    case (.hardBounce, _): bouncePause
    case (nil, .already), (.complaint, .already), (.operator, .already), (.objected, .already):
      alreadyPause
    case (nil, .confirm), (.complaint, .confirm), (.operator, .confirm), (.objected, .confirm):
      nil
    }
  }
}
