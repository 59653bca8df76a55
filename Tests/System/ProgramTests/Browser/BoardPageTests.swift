import Foundation
import TestSupport
import Testing

/// The board in a browser, with what an operator may find there.
///
/// With `ENLIST_SCREENSHOTS` set to the path of a directory, each page is saved there as PNG; see
/// `Scripts/screenshots`.
@Suite(
  .serialized,
  .needsBrowser)
struct BoardPageTests {
  private static let looks = [360, 1280].flatMap { width in
    [false, true].flatMap { isDark in
      [false, true].map { (width: width, isDark: isDark, hasScript: $0) }
    }
  }

  private static let pictures = ProcessInfo.processInfo.environment["ENLIST_SCREENSHOTS"]
    .flatMap { $0.contains("/") ? $0 : nil }

  @Test(arguments: BoardUnderTest.Situation.allCases)
  func `the board says what is the matter, fits the window, and passes axe`(
    situation: BoardUnderTest.Situation
  ) throws {
    let board = try BoardUnderTest(situation)
    for look in Self.looks {
      let browser = try Browser(
        Browser.Options(
          width: look.width, height: 900, isDark: look.isDark, hasScript: look.hasScript,
          reducesMotion: true))
      let name =
        "\(situation)-\(look.width)-\(look.isDark ? "dark" : "light")"
        + (look.hasScript ? "" : "-plain")
      for period in ["48h", "30d"] {
        try board.show(in: browser, "?period=\(period)")
        #expect(try browser.text("[role=status]").hasPrefix(situation.sentence), "\(name)")
        #expect(try browser.fitsWidth(), "\(name)")
        #expect(try browser.isStill(), "\(name)")
        if let directory = Self.pictures {
          try browser.fullScreenshot()
            .write(to: URL(filePath: "\(directory)/board-\(name)-\(period).png"))
        }
        // axe is itself a script, and does not see the colors of what is closed.
        guard look.hasScript else { continue }
        try browser.evaluate(
          "for (const part of document.querySelectorAll('details')) part.open = true")
        let violations = try browser.accessibilityViolations()
        #expect(violations == [], "\(name)")
        #expect(try browser.fitsWidth(), "\(name)")
      }
      let urls = try browser.requestedURLs()
      #expect(urls.allSatisfy { $0.hasPrefix(board.url) || $0.hasPrefix("data:") }, "\(urls)")
      browser.close()
    }
  }

  @Test func `the page, its style, its script and its icon have less than 40 KB together`() throws {
    let board = try BoardUnderTest(.well)
    let cookie = try board.logIn()
    let sizes = try ["/board?period=48h", "/board/board.css", "/board/board.js", "/board/icon.svg"]
      .map { path in
        let response = try board.service.operatorRequest("GET", path, fields: ["Cookie: \(cookie)"])
        #expect(response.status == 200)
        return response.body.count
      }
    #expect(try board.events() >= 50)
    print("the board has \(sizes) bytes")
    #expect(sizes.reduce(0, +) < 40_000)
  }

  @Test(arguments: [360, 1280])
  func `the form passes axe, explains a wrong key, and the button ends the session`(
    width: Int
  ) throws {
    let board = try BoardUnderTest(.empty)
    for isDark in [false, true] {
      let browser = try Browser(Browser.Options(width: width, height: 900, isDark: isDark))
      try browser.open("\(board.url)/")
      #expect(try browser.url() == "\(board.url)/board")
      #expect(try browser.accessibilityViolations() == [])
      #expect(try browser.fitsWidth())
      try browser.type("enlist_wrong", into: "#key")
      try browser.click("button")
      try browser.waitForElement(xpath: "//p[@role = 'alert']")
      #expect(try browser.text("[role=alert]") == "The key is unknown, revoked, or expired.")
      #expect(try browser.accessibilityViolations() == [])
      if let directory = Self.pictures {
        try browser.fullScreenshot().write(
          to: URL(filePath: "\(directory)/board-form-\(width)-\(isDark ? "dark" : "light").png"))
      }
      try board.show(in: browser, "")
      try browser.click("header button")
      try browser.waitForElement(xpath: "//input[@name = 'key']")
      try browser.open("\(board.url)/board")
      #expect(try browser.text("label") == "Key")
      browser.close()
    }
  }

  @Test func `an open page shows new sign-ups, and the form when its key is revoked`() throws {
    let board = try BoardUnderTest(.empty)
    let browser = try Browser()
    try board.show(in: browser, "")
    #expect(try browser.text("#latest").contains("Nothing has happened yet."))
    #expect(try board.service.signUp("ana@example.com").status == 202)
    try browser.until("the event appears") {
      try browser.text("#latest").contains("a…@example.com")
    }
    try browser.until("the sign-up is counted") {
      try browser.text("#growth").contains("hour\n1\n")
    }
    _ = try board.service.keys(["revoke", String(board.key.dropFirst(7).prefix(8))])
    try browser.waitForElement(xpath: "//input[@name = 'key']")
    let complaints = try browser.console()
    #expect(complaints == [])
    browser.close()
  }
}

extension Browser {
  /// Takes a screenshot of the whole page, not only of the window.
  fileprivate func fullScreenshot() throws -> Data {
    let result = try command(
      "POST", "/goog/cdp/execute",
      ["cmd": "Page.captureScreenshot", "params": ["captureBeyondViewport": true]])
    return Data(base64Encoded: (result as? [String: Any])?["data"] as? String ?? "") ?? Data()
  }
}
