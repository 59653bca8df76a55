/// The result of a claim.
package struct MailBatch: Sendable {
  /// The mails to deliver, the longest due first.
  package let mails: [ClaimedMail]
  /// How many mails were deleted because they were not wanted any more.
  package let dropped: Int
  /// How many mails were deleted because the budget of their mailbox was spent.
  package let withheld: Int
  /// How many mails were deleted because their row, or that of their subscriber, cannot be read.
  package let damaged: Int
  /// When to claim again: when the next mail is due, leased ones included; `nil` if none waits.
  ///
  /// It is not in the future if the limit left mails behind; those that were tried before do not
  /// count if the claim wanted none of them. Where other processes add mails or send them, it is at
  /// most a lease ahead, or the time at which to try again if this one may not send.
  package let nextDueAt: Timestamp?

  /// Creates a batch.
  ///
  /// - Parameter nextDueAt: When the next mail is due, if one waits.
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
