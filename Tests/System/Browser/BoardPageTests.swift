import Foundation
import TestSupport
import Testing

/// The board in a browser, with what an operator may find there.
///
/// With `ENLIST_SCREENSHOTS` set to the path of a directory, each page is saved there as PNG; see
/// `Scripts/screenshots`.
@Suite(.serialized, .needsBrowser)
struct BoardPageTests {
  /// What an operator may find.
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

  @Test(arguments: Situation.allCases)
  func `the board says what is the matter, fits the window, and passes axe`(
    situation: Situation
  ) throws {
    let board = try Board(situation)
    let browser = try Browser()
    for (width, isDark, hasScript) in [360, 1280].flatMap({ width in
      [false, true].flatMap { isDark in [false, true].map { (width, isDark, $0) } }
    }) {
      try browser.change(
        to: Browser.Options(
          width: width, height: 900, isDark: isDark, hasScript: hasScript, reducesMotion: true))
      // So that each look has logged in.
      try browser.command("DELETE", "/cookie")
      let name =
        "\(situation)-\(width)-\(isDark ? "dark" : "light")" + (hasScript ? "" : "-plain")
      for period in ["48h", "30d"] {
        try board.show(in: browser, "?period=\(period)")
        let status = try browser.text("[role=status]")
        #expect(status.hasPrefix(situation.sentence), "\(name)")
        #expect(try browser.fitsWidth(), "\(name)")
        #expect(try browser.isStill(), "\(name)")
        try save(browser, "\(name)-\(period)")
        // axe is itself a script, and does not see the colors of what is closed.
        guard hasScript else { continue }
        try browser.evaluate(
          "for (const part of document.querySelectorAll('details')) part.open = true")
        try browser.expectAccessible(name)
      }
      let urls = try browser.requestedURLs()
      #expect(urls.allSatisfy { $0.hasPrefix(board.url) || $0.hasPrefix("data:") }, "\(urls)")
    }
  }

  @Test func `the page, its style, its script and its icon have less than 40 KB together`() throws {
    let board = try Board(.well)
    let cookie = try board.logIn()
    let sizes = try ["/board?period=48h", "/board/board.css", "/board/board.js", "/board/icon.svg"]
      .map { path in
        try board.service.operatorRequest("GET", path, fields: ["Cookie: \(cookie)"])
          .expect(200).body.count
      }
    let events = try board.events()
    #expect(events >= 50)
    #expect(sizes.reduce(0, +) < 40_000, "\(sizes)")
  }

  @Test func `the form passes axe, explains a wrong key, and the button ends the session`() throws {
    let board = try Board(.empty)
    let browser = try Browser()
    for (width, isDark) in [(360, false), (360, true), (1280, false), (1280, true)] {
      let look = "\(width)-\(isDark ? "dark" : "light")"
      try browser.change(to: Browser.Options(width: width, height: 900, isDark: isDark))
      try browser.open("\(board.url)/")
      try browser.expect("location.href", "\(board.url)/board")
      try browser.expectAccessible(look)
      try browser.type("enlist_wrong", into: "#key")
      try browser.click("button")
      try browser.waitForElement(xpath: "//p[@role = 'alert']")
      try browser.waitForText("The key is unknown, revoked, or expired.", in: "[role=alert]")
      let violations = try browser.accessibilityViolations()
      #expect(violations == [], "\(look)")
      try save(browser, "form-\(look)")
      try board.show(in: browser, "")
      try browser.click("header button")
      try browser.waitForElement(xpath: "//input[@name = 'key']")
      try browser.open("\(board.url)/board")
      try browser.waitForText("Key", in: "label")
    }
  }

  @Test func `an open page shows new sign-ups, and the form when its key is revoked`() throws {
    let board = try Board(.empty)
    let browser = try Browser()
    try board.show(in: browser, "")
    let latest = try browser.text("#latest")
    #expect(latest.contains("Nothing has happened yet."))
    let hour = Int(Date().timeIntervalSince1970) / 3600
    try board.service.signUp("ana@example.com").expect(202)
    try eventually("the event") { try browser.text("#latest").contains("a…@example.com") }
    try eventually("the number of sign-ups") {
      // Another hour may have begun.
      try browser.text("#growth").contains("hour\n1\n")
        || Int(Date().timeIntervalSince1970) / 3600 != hour
    }
    let id = String(board.key.dropFirst(7).prefix(8))
    let revoked = try board.service.run("keys", "revoke", id)
    #expect(revoked.end == .exit(0), "\(revoked.errors)")
    try browser.waitForElement(xpath: "//input[@name = 'key']")
    try browser.expectNoComplaints()
  }

  /// Saves a picture of the whole page, if pictures are taken.
  private func save(_ browser: Browser, _ name: String) throws {
    guard let directory = Browser.pictures else { return }
    try browser.screenshot(isWhole: true)
      .write(to: URL(filePath: "\(directory)/board-\(name).png"))
  }
}

/// A service with a board, in a situation that an operator may find.
private struct Board {
  let service: Enlist
  let key: String
  private let relay: LocalListener

  /// Starts the service, and waits until the board shows the situation.
  init(_ situation: BoardPageTests.Situation) throws {
    // Nothing listens, and no other program gets the port.
    relay = try LocalListener(refuses: true)
    let delivery: [String] =
      switch situation {
      case .well, .empty: .mail
      case .attack: .mail + ["--mail-budget", "20/1d"]
      case .stuck:
        ["--smtp-url", "smtp://127.0.0.1:\(relay.port)"] + .sending
          + ["--mail-budget", "off", "--mail-budget-per-domain", "off"]
      }
    service = try Enlist(delivery + .operating + ["--list-name", "Garden Letters"])
    key = try service.makeKey("board")
    if situation != .empty { try write(Self.history) }
    switch situation {
    case .well, .empty: break
    case .stuck:
      for name in ["ada", "bea", "cleo"] {
        try service.signUp("\(name)@example.com").expect(202)
      }
      try write("UPDATE outbox SET created_at = created_at - 3600000")
    case .attack:
      let client = try service.connect()
      for number in 0..<500 {
        try client.request(
          "POST", "/subscribers", fields: ["Content-Type: application/x-www-form-urlencoded"],
          body: "email=p\(number)@d\(number % 40)-example.com")
        try client.readResponse(to: "POST").expect(202)
      }
    }
    let cookie = try logIn()
    try eventually("a board that says \(situation.sentence)") {
      let page = try service.operatorRequest("GET", "/board", fields: ["Cookie: \(cookie)"])
      let position = try service.file.numbers("SELECT position FROM consumers")
      let isCounted = try position.first ?? 0 == events()
      return isCounted && page.text.contains(situation.sentence)
    }
  }

  /// The address of the listener.
  var url: String { "http://127.0.0.1:\((try? service.operatorPort()) ?? 0)" }

  /// The number of events.
  func events() throws -> Int64 {
    try service.file.numbers("SELECT count(*) FROM events").first ?? 0
  }

  /// Logs in like the form, and returns the cookie.
  func logIn() throws -> String {
    let response = try service.operatorRequest(
      "POST", "/board/session",
      // The origin is that of the requests.
      fields: [
        "Origin: http://localhost", "Content-Type: application/x-www-form-urlencoded",
      ],
      body: "key=\(key)"
    ).expect(303)
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
