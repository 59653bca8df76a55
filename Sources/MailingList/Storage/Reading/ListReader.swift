package import Signals

/// The queries that read the list.
// Not Sendable: one thread at a time uses it.
package struct ListReader {
  package let session: any ListSession

  package init(_ session: any ListSession) {
    self.session = session
  }

  /// The valid ids of a subscriber; the upper limit ensures that adding to an id never overflows.
  package static let subscriberIDs: ClosedRange<Int64> = 1...(1 << 62)

  /// Whether an execution was stored within ``ExecutionID/lifetime``.
  package func hasStored(_ id: ExecutionID, at now: Timestamp) throws(StoreError) -> Bool {
    guard id.isKnown(at: now) else { return false }
    return try session.first(Self.findExecution(.bytes(id.bytes))) { _ in true } ?? false
  }

  /// Reads subscribers in the order of their ids, a bounded number at a time.
  ///
  /// To read the whole list, continue with the id of the last subscriber until the array is empty.
  /// Subscribers that are added meanwhile have greater ids, so none is read twice and none is
  /// skipped.
  ///
  /// - Parameters:
  ///   - id: Only subscribers with a greater id are read; `nil` starts with the first.
  ///   - limit: The maximum number of subscribers, 1 or more.
  package func subscribers(after id: Int64?, limit: Int) throws(StoreError) -> [Subscriber] {
    var last = id ?? 0
    let statement = Self.listSubscribers(.number(id ?? .min), .number(Int64(max(limit, 0))))
    return try session.rows(statement) { (row) throws(StoreError) in
      let subscriber = try Self.subscriber(row)
      guard Self.subscriberIDs.contains(subscriber.id), subscriber.id > last else { throw .damaged }
      last = subscriber.id
      return subscriber
    }
  }

  /// Reads a subscriber from the first nine columns.
  static func subscriber(_ row: any ListRow) throws(StoreError) -> Subscriber {
    Subscriber(
      id: try row.required(row.number(0)), address: try row.required(row.text(1)),
      state: try row.required(row.number(2).flatMap(Subscriber.State.init(rawValue:))),
      locale: row.text(3), createdAt: try row.required(row.time(4)), confirmedAt: row.time(5),
      unsubscribedAt: row.time(6), suppression: row.number(8).flatMap(Suppression.init(rawValue:)),
      fields: row.text(7))
  }

  /// The columns of ``subscriber(_:)``.
  static let subscriberColumns =
    "id, address, state, locale, created_at, confirmed_at, unsubscribed_at, fields, suppression"

  /// Reads the membership of the subscriber who made this sign-up; `nil` if the execution is
  /// unknown or too old.
  package func membership(
    of id: ExecutionID, at now: Timestamp
  ) throws(StoreError) -> ExecutionMembership? {
    guard id.isKnown(at: now) else { return nil }
    return try session.first(Self.findMembership(.bytes(id.bytes))) { (row) throws(StoreError) in
      ExecutionMembership(subscriberID: try row.required(row.number(0)), confirmedAt: row.time(1))
    }
  }

  /// Reads the effect that a link in a mail would have; a link of another purpose is unknown.
  package func link(
    _ token: [UInt8], for purpose: LinkPurpose, at now: Timestamp
  ) throws(StoreError) -> LinkStatus {
    let statement = Self.findLink(.bytes(token), .number(purpose.rawValue))
    let status = try session.first(statement) { (row) throws(StoreError) in
      LinkStatus(
        of: purpose, madeAt: try row.required(row.time(0)), expiresAt: row.time(1),
        membership: try row.membership(2), at: now)
    }
    return status ?? .unknown
  }

  /// Counts the queued mails, up to ``OutboxBacklog/maximumCount``.
  package func backlog(isServedElsewhere: Bool) throws(StoreError) -> OutboxBacklog {
    let backlog = try session.first(Self.countMails()) { row in
      OutboxBacklog(
        waiting: Int(row.number(0) ?? 0), oldest: row.time(1), held: Int(row.number(2) ?? 0),
        isServedElsewhere: isServedElsewhere)
    }
    guard let backlog else { throw .damaged }
    return backlog
  }

  /// Counts the subscribers of each state in a part of the list.
  ///
  /// - Returns: The numbers, and the last id of the part; `nil` if nothing follows.
  func subscriberCounts(
    after id: Int64, limit: Int
  ) throws(StoreError) -> (numbers: [Subscriber.State: Int], last: Int64?) {
    var numbers: [Subscriber.State: Int] = [:]
    var last = id
    let statement = Self.countSubscribers(.number(id), .number(Int64(limit)))
    _ = try session.rows(statement) { (row) throws(StoreError) in
      let state = try row.required(row.number(0).flatMap(Subscriber.State.init(rawValue:)))
      numbers[state] = Int(try row.required(row.number(1)))
      last = max(last, try row.required(row.number(2)))
    }
    return (numbers, numbers.values.reduce(0, +) < limit ? nil : last)
  }

  private static let findExecution = Statement(
    "SELECT 1 FROM enlist.consents WHERE id = ?1 AND kind = 'requested'")
  private static let listSubscribers = Statement(
    "SELECT \(subscriberColumns) FROM enlist.subscribers WHERE id > ?1 ORDER BY id LIMIT ?2")
  private static let findMembership = Statement(
    """
    SELECT s.id, CASE WHEN s.state = 1 THEN s.confirmed_at END FROM enlist.consents c
      JOIN enlist.subscribers s ON s.id = c.subscriber_id WHERE c.id = ?1 AND c.kind = 'requested'
    """
  )
  private static let findLink = Statement(
    """
    SELECT t.made_at, t.expires_at, s.state, s.suppression, s.confirmed_at, s.unsubscribed_at,
      s.suppressed_at, s.rejections
      FROM enlist.tokens t JOIN enlist.subscribers s ON s.id = t.subscriber_id
      WHERE t.hash = ?1 AND t.purpose = ?2
    """
  )
  private static let countMails = Statement(
    """
    SELECT count(*), min(o.created_at), (
      SELECT count(*) FROM (
        SELECT 1 FROM enlist.outbox WHERE queue = 3 LIMIT \(OutboxBacklog.maximumCount)
      ) AS h
    ) FROM (
      SELECT created_at FROM enlist.outbox WHERE queue IN (1, 2)
        LIMIT \(OutboxBacklog.maximumCount)
    ) AS o
    """
  )
  private static let countSubscribers = Statement(
    """
    SELECT state, count(*), max(id) FROM (
      SELECT id, state FROM enlist.subscribers WHERE id > ?1 ORDER BY id LIMIT ?2
    ) AS part GROUP BY state
    """
  )
}

extension ReadableList {
  /// Counts the subscribers of each state; a state without subscribers is missing.
  ///
  /// This reads the whole list, which takes some hundred milliseconds for a million subscribers. A
  /// subscriber that changes meanwhile may be counted in the old or in the new state.
  package func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError> {
    subscriberCounts(after: .min)
  }

  /// Counts the subscribers of each state in parts, between which others read.
  ///
  /// Counting a long list takes seconds: one statement would delay all other reads of a connection,
  /// and from some length on exceed the time limit of a server.
  ///
  /// - Parameter size: The number of subscribers that one statement counts, in some 20 ms.
  package func subscriberCounts(
    after id: Int64, inPartsOf size: Int = 65_536
  ) -> Signal<[Subscriber.State: Int], StoreError> {
    read { (list) throws(StoreError) in try list.subscriberCounts(after: id, limit: size) }
      .flatMap { part -> Signal<[Subscriber.State: Int], StoreError> in
        guard let last = part.last else { return .just(part.numbers) }
        return self.subscriberCounts(after: last, inPartsOf: size)
          .map { $0.merging(part.numbers, uniquingKeysWith: +) }
      }
  }
}
