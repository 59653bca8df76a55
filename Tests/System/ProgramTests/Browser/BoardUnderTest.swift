import Foundation
import TestSupport
import Testing

/// A service with a board, in a situation that an operator may find.
struct BoardUnderTest {
  enum Situation: CaseIterable {
    case well
    /// The relay is away, and the oldest mail has waited for an hour.
    case stuck
    /// 500 people who do not confirm have signed up within minutes, and the mail budget is spent.
    case attack
    case empty

    /// The beginning of the first sentence.
    var sentence: String {
      switch self {
      case .well: "All is well: sign-ups are stored and mail leaves."
      case .stuck: "Sign-ups are stored, but no mail leaves: 3 mails have been waiting since "
      case .attack: "Sign-ups are stored, but 480 mails are held: "
      case .empty: "All is well: sign-ups are stored and mail leaves. No one is on the list yet."
      }
    }
  }

  let service: RunningService
  let key: String
  private let relay: LocalListener?

  /// Starts the service, and waits until the board shows the situation.
  init(_ situation: Situation) throws {
    // Nothing listens, and no other program gets the port.
    relay = situation == .stuck ? try LocalListener(refuses: true) : nil
    var flags = RunningService.mailFlags
    switch situation {
    case .well, .empty: break
    case .stuck: flags = MailRelay.flags(port: relay?.port ?? 0)
    case .attack: flags += ["--mail-budget", "20/1d"]
    }
    flags = flags.map { $0 == "News" ? "Garden Letters" : $0 }
    let operatorFlags = situation == .stuck ? [] : RunningService.operatorFlags
    service = try RunningService(flags + operatorFlags)
    key = try #require(try service.keys(["create", "--name", "board", "--scopes", "board"]).first)
    if situation != .empty { try write(Self.history) }
    switch situation {
    case .well, .empty: break
    case .stuck:
      for name in ["ada", "bea", "cleo"] {
        #expect(try service.signUp("\(name)@example.com").status == 202)
      }
      try write("UPDATE outbox SET created_at = created_at - 3600000")
    case .attack:
      let client = try service.connect()
      for number in 0..<500 {
        try client.request(
          "POST", "/subscribers", fields: ["Content-Type: application/x-www-form-urlencoded"],
          body: "email=p\(number)@d\(number % 40)-example.com")
        #expect(try client.readResponse(to: "POST").status == 202)
      }
    }
    let cookie = try logIn()
    try Deadline.soon.wait {
      let data = try service.operatorRequest("GET", "/board/data", fields: ["Cookie: \(cookie)"])
      let position = try SQLiteFile(service.database).numbers("SELECT position FROM consumers")
      let isCounted = try position.first ?? 0 == events()
      return isCounted && data.text.contains(#""sentence":"\#(situation.sentence)"#)
    }
  }

  /// The address of the listener.
  var url: String { "http://127.0.0.1:\((try? service.operatorPort()) ?? 0)" }

  /// The number of events.
  func events() throws -> Int64 {
    try SQLiteFile(service.database).numbers("SELECT count(*) FROM events").first ?? 0
  }

  /// Logs in like the form, and returns the cookie.
  func logIn() throws -> String {
    let response = try service.operatorRequest(
      "POST",
      "/board/session",
      fields: [
        // That of the requests.
        "Origin: http://localhost", "Content-Type: application/x-www-form-urlencoded",
      ],
      body: "key=\(key)"
    )
    try #require(response.status == 303)
    return String(try #require(response["Set-Cookie"]?.split(separator: ";").first))
  }

  /// Opens the board, and logs in if the browser has no session.
  func show(in browser: Browser, _ query: String) throws {
    try browser.open("\(url)/board\(query)")
    let forms = try browser.count("#key")
    if forms > 0 {
      try browser.type(key, into: "#key")
      try browser.click("button")
      try browser.waitForElement(xpath: "//section[@id = 'well']")
      try browser.open("\(url)/board\(query)")
    }
  }

  private func write(_ sql: String) throws {
    try SQLiteFile(service.database, busyTimeout: .seconds(5)).execute("BEGIN; \(sql); COMMIT")
  }

  /// A list that grows for 30 days, more by day than by night: of ten people seven confirm, and one
  /// in thirty leaves.
  private static let history = """
    INSERT INTO subscribers(id, address, address_key, state, created_at, updated_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1400)
      SELECT i, printf('%s%d@example.%s', char(97 + i * 7 % 26), i, iif(i % 3, 'org', 'com')),
        printf('p%d', i), CASE WHEN i % 30 = 7 THEN 2 WHEN i % 10 < 7 THEN 1 ELSE 0 END, at, at
      FROM (
        SELECT i, unixepoch() * 1000 - 7200000 - (1400 - i) * 1830000
          - abs(i * 7919 % 5400) * 1000 AS at FROM n
      );
    INSERT INTO events(at, type, subscriber_id, state, previous, actor, detail)
      SELECT * FROM (
        SELECT created_at AS at, 1, id AS subscriber_id, 0, NULL, NULL, NULL FROM subscribers
        UNION ALL SELECT created_at + 2000, 9, id, 0, NULL, 'system', 'confirm' FROM subscribers
        UNION ALL SELECT created_at + 300000, 2, id, 1, 0, 'owner', NULL FROM subscribers
          WHERE id % 10 < 7
        UNION ALL SELECT created_at + 5000000, 3, id, 2, 1, 'owner', NULL FROM subscribers
          WHERE id % 30 = 7
      ) WHERE (at / 3600000) % 24 BETWEEN 6 AND 22 OR subscriber_id % 4 = 0 ORDER BY at;
    """
}
