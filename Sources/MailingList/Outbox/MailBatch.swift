/// The result of a claim.
package struct MailBatch: Sendable {
  /// The mails to deliver, the longest due first.
  package let mails: [ClaimedMail]
  /// The number of mails that were deleted because they were no longer wanted.
  package let dropped: Int
  /// The number of mails that were deleted because the budget of their mailbox was spent.
  package let withheld: Int
  /// The number of mails that are held from now on, because a budget of ``MailBudgets`` is spent.
  package let held: Int
  /// The number of held mails that were deleted because they waited too long.
  package let expired: Int
  /// Whether mails are held after the claim.
  package let hasHeld: Bool
  /// Whether held mails must be examined again: some have become due, or the limit left them.
  package let mayReleaseMore: Bool
  /// The used part of the budget of all mails, before this claim; `nil` if it was not read.
  package let load: Int?
  /// Whether the operator must be told that the budget of all mails is spent: at most once in six
  /// hours, by all services of a list.
  package let raisesAlarm: Bool
  /// The number of mails that were deleted because their row, or their subscriber's row, cannot be
  /// read.
  package let damaged: Int
  /// The time of the next claim: when the next mail is due, including leased ones; `nil` if none
  /// waits.
  ///
  /// The time is not in the future if the limit left mails unclaimed; mails that were tried before
  /// are ignored if the claim excluded them. If other processes add or send mails, it is at most
  /// one lease ahead, or the time of the next attempt if this process may not send.
  package let nextDueAt: Timestamp?

  package init(
    mails: [ClaimedMail], dropped: Int, withheld: Int, held: Int = 0, expired: Int = 0,
    hasHeld: Bool = false, mayReleaseMore: Bool = false, load: Int? = nil,
    raisesAlarm: Bool = false, damaged: Int = 0, nextDueAt: Timestamp?
  ) {
    self.mails = mails
    self.dropped = dropped
    self.withheld = withheld
    self.held = held
    self.expired = expired
    self.hasHeld = hasHeld
    self.mayReleaseMore = mayReleaseMore
    self.load = load
    self.raisesAlarm = raisesAlarm
    self.damaged = damaged
    self.nextDueAt = nextDueAt
  }
}
