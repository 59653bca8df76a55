internal import EmailAddresses
internal import MailingList

extension InMemoryList {
  /// What became of mails in an hour.
  struct Counted {
    let hour: Int64
    /// The domain, if it is not known.
    let domain: String?
    let counts: MailCounts
    /// Whether it counts for the budget of all mails.
    var countsForAll = true
  }

  /// Counts what became of a mail.
  mutating func count(_ counts: MailCounts, to address: EmailAddress, at time: Timestamp) {
    let domain = address.hasKnownDomain ? nil : address.asciiDomain
    counted.append(Counted(hour: time.hour, domain: domain, counts: counts))
  }

  /// Counts a confirmation.
  mutating func countConfirmation(of address: EmailAddress, at time: Timestamp) {
    count(MailCounts(confirmed: 1), to: address, at: time)
    guard let domain = counted.last?.domain else { return }
    let earlier = counted.filter { $0.domain == domain && $0.hour > time.hour - 24 }
    let number = earlier.reduce(0) { $0 + $1.counts.confirmed }
    counted[counted.count - 1].countsForAll = number <= MailBudgets.countedConfirmations
  }

  /// The used part of the budget of all mails; `nil` without one.
  func load(_ claim: MailClaim) -> Int? {
    claim.budgets.all.map { load($0, at: claim.now) { $0.countsForAll } }
  }

  /// Returns whether the budgets have room for a mail.
  func hasRoom(for address: EmailAddress, _ claim: MailClaim) -> Bool {
    if let all = claim.budgets.all, load(claim) ?? 0 >= all.count { return false }
    guard let own = claim.budgets.perDomain, !address.hasKnownDomain else { return true }
    return load(own, at: claim.now) { $0.domain == address.asciiDomain } < own.count
  }

  private func load(
    _ budget: MailBudget,
    at now: Timestamp,
    where isCounted: (Counted) -> Bool
  ) -> Int {
    counted.filter { $0.hour > budget.end(at: now) && isCounted($0) }
      .reduce(MailCounts()) { $0 + $1.counts }.load
  }

  /// Deletes held mails that waited too long, and makes others due for which there is room.
  ///
  /// - Returns: The number of expired mails, and whether others have become due.
  mutating func examineHeld(_ claim: MailClaim) -> (expired: Int, mayReleaseMore: Bool) {
    let time = claim.now.adding(.zero - MailBudgets.maximumHold)
    let before = rows.count
    rows.removeAll { $0.isHeld && $0.createdAt <= time }
    var mayReleaseMore = false
    for index in rows.indices where rows[index].isHeld {
      guard let member = member(rows[index].subscriberID), hasRoom(for: member.address, claim)
      else { continue }
      rows[index].isHeld = false
      rows[index].dueAt = claim.now
      mayReleaseMore = true
    }
    return (before - rows.count, mayReleaseMore)
  }

  /// Returns whether an alarm is due, and records it.
  mutating func raiseAlarm(_ claim: MailClaim) -> Bool {
    guard let all = claim.budgets.all, load(claim) ?? 0 >= all.count,
      alarmHour.map({ $0 <= claim.now.hour - 7 }) ?? true
    else { return false }
    alarmHour = claim.now.hour
    return true
  }
}
