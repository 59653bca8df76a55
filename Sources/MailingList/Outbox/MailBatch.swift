/// The result of a claim.
package struct MailBatch: Sendable {
  /// The mails to deliver, the longest due first.
  package let mails: [ClaimedMail]
  /// The number of mails that were deleted because they were no longer wanted.
  package let dropped: Int
  /// The number of mails that were deleted because the budget of their mailbox was spent.
  package let withheld: Int
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
    mails: [ClaimedMail],
    dropped: Int,
    withheld: Int,
    damaged: Int = 0,
    nextDueAt: Timestamp?
  ) {
    self.mails = mails
    self.dropped = dropped
    self.withheld = withheld
    self.damaged = damaged
    self.nextDueAt = nextDueAt
  }
}
