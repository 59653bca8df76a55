/// The counts of mails by hour: those of all mails, and those of each domain that is not known.
///
/// A group of changes ends with these rows, those of the domain first, so that two services never
/// wait for each other.
enum MailHours {
  /// The key of the counts of all mails, which is not the hash of any domain.
  static let all: [UInt8] = []
  /// The key of the alarms about a spent budget.
  private static let alarms: [UInt8] = [0]

  /// Returns the changes that add to the counts of a time.
  ///
  /// - Parameter domain: The hash of a domain that is not known.
  static func adding(
    _ counts: MailCounts, of domain: [UInt8]?, at time: Timestamp
  ) -> [BoundStatement] {
    [domain, all].compactMap(\.self).map { key in
      add(
        .bytes(key), .number(time.hour), .number(Int64(counts.sent)),
        .number(Int64(counts.confirmed)), .number(Int64(counts.rejected)),
        .number(Int64(counts.complaints)))
    }
  }

  /// Returns the changes that count a confirmation; for all mails, it counts only as one of the
  /// first of its domain in a day.
  static func confirming(_ domain: [UInt8]?, at time: Timestamp) -> [BoundStatement] {
    let (hour, day) = (time.hour, time.hour - 24)
    let own = domain.map { confirmOwn(.bytes($0), .number(hour)) }
    let counted = confirm(.bytes(all), .number(hour), .bytes(domain), .number(day))
    return [own, counted].compactMap(\.self)
  }

  /// Returns the changes that charge a mail, which fail if another service has charged the domain
  /// since its counts were read.
  ///
  /// - Parameter sentBefore: The mails to the domain in this hour.
  static func charging(_ domain: [UInt8]?, sentBefore: Int, at time: Timestamp) -> [BoundStatement]
  {
    let own = domain.map {
      charge(.bytes($0), .number(time.hour), .number(Int64(sentBefore))).required
    }
    return [own].compactMap(\.self) + adding(MailCounts(sent: 1), of: nil, at: time)
  }

  /// The hours for which no further alarm is raised: six whole ones, and the current part of one.
  private static let alarmHours: Int64 = 7

  /// Records an alarm; fails if one was raised in the last six hours, also by another service.
  static func raisingAlarm(at time: Timestamp) -> BoundStatement {
    raise(.bytes(alarms), .number(time.hour), .number(time.hour - alarmHours)).required
  }

  /// Sums the counts of a domain in a period, and its mails in the current hour.
  static func find(_ domain: [UInt8], in budget: MailBudget, at now: Timestamp) -> BoundStatement {
    let (end, last) = (budget.end(at: now), last(at: now))
    return sum(.bytes(domain), .number(end), .number(now.hour), .number(last))
  }

  /// The condition for held mails, rows of the outbox, whose domain has room; its parameters are the
  /// last hour before the period, the last hour that counts, and the budget.
  static let hasRoom = """
    (domain IS NULL OR domain NOT IN (
      SELECT h.domain FROM enlist.mail_hours h WHERE h.hour > ?1 AND h.hour <= ?2
        GROUP BY h.domain HAVING sum(h.sent) - 4 * sum(h.confirmed) >= ?3
    ))
    """

  /// The last hour that counts: later ones were counted while the clock was far ahead, and would
  /// use up a budget until it reached them again.
  static func last(at now: Timestamp) -> Int64 { now.hour + 24 }

  private static let add = Statement(
    """
    INSERT INTO enlist.mail_hours AS h (domain, hour, sent, confirmed, rejected, complaints)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (domain, hour) DO UPDATE SET
        sent = h.sent + ?3, confirmed = h.confirmed + ?4, rejected = h.rejected + ?5,
        complaints = h.complaints + ?6
    """
  )
  private static let confirmOwn = Statement(
    """
    INSERT INTO enlist.mail_hours AS h (domain, hour, confirmed) VALUES (?1, ?2, 1)
      ON CONFLICT (domain, hour) DO UPDATE SET confirmed = h.confirmed + 1
    """
  )
  private static let confirm = Statement(
    """
    INSERT INTO enlist.mail_hours AS h (domain, hour, confirmed) SELECT ?1, ?2, 1
      WHERE (
        SELECT coalesce(sum(d.confirmed), 0) FROM enlist.mail_hours d
          WHERE d.domain = ?3 AND d.hour > ?4
      ) <= \(MailBudgets.countedConfirmations)
      ON CONFLICT (domain, hour) DO UPDATE SET confirmed = h.confirmed + 1
    """
  )
  private static let charge = Statement(
    """
    INSERT INTO enlist.mail_hours AS h (domain, hour, sent) VALUES (?1, ?2, 1)
      ON CONFLICT (domain, hour) DO UPDATE SET sent = h.sent + 1 WHERE h.sent = ?3
    """
  )
  private static let raise = Statement(
    """
    INSERT INTO enlist.mail_hours (domain, hour, sent) SELECT ?1, ?2, 1
      WHERE NOT EXISTS (
        SELECT 1 FROM enlist.mail_hours a WHERE a.domain = ?1 AND a.hour > ?3 AND a.hour <= ?2
      )
      ON CONFLICT (domain, hour) DO NOTHING
    """
  )
  private static let sum = Statement(
    """
    SELECT \(["sent", "confirmed", "rejected", "complaints"].map(total).joined(separator: ", ")),
      \(total("CASE WHEN hour = ?3 THEN sent END"))
      FROM enlist.mail_hours WHERE domain = ?1 AND hour > ?2 AND hour <= ?4
    """
  )
  private static func total(_ value: String) -> String {
    "CAST(coalesce(sum(\(value)), 0) AS bigint)"
  }
}

/// The room that the budgets leave for mails, while a claim decides about them.
struct MailRoom {
  private struct Counts {
    var period: MailCounts
    var sentThisHour: Int
  }

  private let budgets: MailBudgets
  private let now: Timestamp
  private var counts: [[UInt8]: Counts] = [:]

  /// The used part of the budget of all mails; `nil` without one.
  var load: Int? { budgets.all.flatMap { _ in counts[MailHours.all]?.period.load } }

  /// Reads the counts of domains, and of all mails.
  init(
    _ budgets: MailBudgets, for domains: [[UInt8]], at now: Timestamp, in session: any ListSession
  ) throws(StoreError) {
    self.budgets = budgets
    self.now = now
    var limits = budgets.all.map { [(MailHours.all, $0)] } ?? []
    if let perDomain = budgets.perDomain {
      limits += Set(domains).map { ($0, perDomain) }
    }
    let statements = limits.map { MailHours.find($0, in: $1, at: now) }
    let found = try session.rows(ofEach: statements) { row in
      let numbers = (0..<5).map { Int(Int32(clamping: row.number($0) ?? 0)) }
      let period = MailCounts(
        sent: numbers[0], confirmed: numbers[1], rejected: numbers[2], complaints: numbers[3])
      return Counts(period: period, sentThisHour: numbers[4])
    }
    for ((key, _), counts) in zip(limits, found) { self.counts[key] = counts.first }
  }

  /// The number of mails for which the budget of all mails has room.
  var remaining: Int {
    budgets.all.map { max($0.count - (load ?? 0), 0) } ?? .max
  }

  /// Whether one more mail to a domain, or to a known one, is within the budgets.
  func hasRoom(for domain: [UInt8]?) -> Bool {
    guard remaining > 0 else { return false }
    guard let perDomain = budgets.perDomain, let domain else { return true }
    return counts[domain]?.period.load ?? 0 < perDomain.count
  }

  /// Returns the changes that charge a mail.
  mutating func charge(_ domain: [UInt8]?) -> [BoundStatement] {
    let before = domain.flatMap { counts[$0]?.sentThisHour }
    for key in [domain, MailHours.all].compactMap(\.self) {
      counts[key]?.period.sent += 1
      counts[key]?.sentThisHour += 1
    }
    guard let before else { return MailHours.adding(MailCounts(sent: 1), of: domain, at: now) }
    return MailHours.charging(domain, sentBefore: before, at: now)
  }
}
