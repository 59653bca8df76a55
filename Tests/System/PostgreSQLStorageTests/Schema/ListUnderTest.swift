import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// A database with at most one subscriber, for tests of the functions of the schema.
struct ListUnderTest {
  static let now = MembershipRules.now
  static let key = "ana@example.org"
  static let subscriber: Int64 = 77
  static let mailbox: [UInt8] = [0xBB]
  static let keyHash: [UInt8] = [0xAA]

  let session: PostgreSQLSession

  /// Creates a list.
  ///
  /// - Parameter membership: The membership of the subscriber; ``Membership/none`` adds none.
  init(_ membership: Membership = .none) throws {
    session = try TestDatabase().session()
    try reset(to: membership)
  }

  /// Replaces the content of the list.
  func reset(to membership: Membership) throws {
    try execute(
      """
      TRUNCATE subscribers, consents, outbox, tokens, codes, mailboxes, suppressions, status_pending
      """
    )
    guard let state = membership.state else { return }
    var insert = Query(
      """
      INSERT INTO enlist.subscribers(
        id, address, address_key, created_at, updated_at, requested_at, state, suppression,
        confirmed_at, unsubscribed_at, suppressed_at, rejections
      ) VALUES ($1, $2, $2, $3, $3, $3, $4::bigint, $5::bigint, $6, $7, $8, $9::bigint)
      """
    )
    insert.bind(Self.subscriber)
    insert.bind(Self.key)
    insert.bind(Self.days(-60))
    insert.bind(state.rawValue)
    insert.bind(membership.suppression?.rawValue)
    insert.bind(membership.confirmedAt)
    insert.bind(membership.unsubscribedAt)
    insert.bind(membership.suppressedAt)
    insert.bind(Int64(membership.rejections))
    try session.execute(insert, by: .soon)
  }

  /// Executes statements with the schema in the search path.
  func execute(_ sql: String) throws {
    try session.execute(script: "SET search_path = enlist; \(sql)", by: .soon)
  }

  /// Adds a sign-up.
  ///
  /// - Returns: Whether it won its gate.
  @discardableResult
  func signUp(
    _ optIn: OptIn, again: Bool = false, id: [UInt8] = [1], previousHash: [UInt8]? = nil
  ) throws -> Bool? {
    try Self.signUp(optIn, again: again, id: id, previousHash: previousHash, session)
  }

  @discardableResult
  static func signUp(
    _ optIn: OptIn, again: Bool = false, id: [UInt8] = [1], previousHash: [UInt8]? = nil,
    _ session: PostgreSQLSession
  ) throws -> Bool? {
    let places = (1...19).map { "$\($0)" }.joined(separator: ", ")
    var query = Query("SELECT enlist.add_sign_ups(\(places))")
    query.bind(again)
    query.bind(optIn == .double)
    query.bind(array: [id])
    query.bind(array: [now])
    query.bind(array: [key])
    query.bind(array: [key])
    query.bind(array: [keyHash])
    query.bind(array: [previousHash])
    query.bind(array: [false])
    query.bind(array: ["en"])
    for _ in 0..<6 { query.bind(array: [nil] as [String?]) }
    query.bind(array: ["next"])
    query.bind(array: [[2] + id])
    query.bind(array: [mailbox])
    let wins = try session.execute(query, by: .soon).array(0, 0, of: Bool.self)
    return try #require(wins).first ?? nil
  }

  /// The membership of the subscriber.
  var membership: Membership {
    get throws {
      let row = try session.execute(
        Query(
          """
          SELECT state, suppression, confirmed_at, unsubscribed_at, suppressed_at, rejections
            FROM enlist.subscribers WHERE address_key = $1
          """
        )
        .binding(Self.key),
        by: .soon
      )
      if row.count == 0 { return .none }
      let suppression = try row.value(0, 1, as: Int16.self)
      return Membership(
        state: Subscriber.State(rawValue: Int64(try row.required(0, 0, as: Int16.self))),
        suppression: suppression.flatMap { Suppression(rawValue: Int64($0)) },
        confirmedAt: try row.value(0, 2), unsubscribedAt: try row.value(0, 3),
        suppressedAt: try row.value(0, 4), rejections: Int(try row.required(0, 5, as: Int32.self)))
    }
  }

  /// Reads one text from each row.
  func column(_ sql: String) throws -> [String?] {
    try session.execute(script: "SET search_path = enlist", by: .soon)
    let rows = try session.execute(Query(sql), by: .soon)
    return try (0..<rows.count).map { try rows.value($0, 0, as: String.self) }
  }

  /// The kinds of the mails in the outbox; 0 stands for one that is not to be sent.
  var mails: [String?] {
    get throws { try column("SELECT (queue * kind)::text FROM outbox ORDER BY id") }
  }

  /// The kinds and means of the consents.
  var consents: [String?] {
    get throws {
      try column("SELECT concat_ws(' ', kind, means) FROM consents ORDER BY at, id")
    }
  }

  static func days(_ days: Int) -> Timestamp { MembershipRules.days(days) }

  /// Memberships in every row of the table of states.
  static let memberships = [Membership.none] + MembershipRules.memberships
}
