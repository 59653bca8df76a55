import Foundation
import TestSupport
import Testing

/// Tests of the sign-up page in a real browser.
@Suite(
  .serialized,
  .needsBrowser)
struct SignUpPageTests {
  /// A browser with the page of a service; both run until `end()`.
  private final class Visit {
    let service: RunningService
    let browser: Browser

    init(_ arguments: [String] = [], _ options: Browser.Options = Browser.Options()) throws {
      service = try RunningService(arguments)
      browser = try Browser(options)
      try browser.open("http://127.0.0.1:\(service.port)/")
    }

    /// Ends the browser; its console may contain only its own message for a rejected request.
    func end() throws {
      let complaints = try browser.console().filter { line in
        !["status of 409", "status of 422", "status of 503"].contains(where: line.contains)
      }
      #expect(complaints == [])
      browser.close()
    }
  }

  private func waitForStatus(_ text: String, _ browser: Browser) throws {
    try browser.until("the status line says \(text)") {
      try browser.text("#status") == text
    }
  }

  @Test func `a valid address enables the button, and the status line shows the progress`()
    throws
  {
    let visit = try Visit()
    let (service, browser) = (visit.service, visit.browser)
    #expect(try !browser.isEnabled("#subscribe"))
    try browser.type("ana@example", into: "#email")
    #expect(try !browser.isEnabled("#subscribe"))
    try browser.type(".org", into: "#email")
    try browser.until("the button is enabled") { try browser.isEnabled("#subscribe") }
    // Records every text of the status line, however briefly it is shown.
    try browser.evaluate(
      """
      window.said = []
      new MutationObserver(() => said.push(document.querySelector('#status').textContent))
        .observe(document.querySelector('#status'), { childList: true })
      """
    )
    try browser.click("#subscribe")
    try waitForStatus("Thanks", browser)
    let said = try browser.evaluate("return said") as? [String]
    #expect(said == ["Sending request...", "Thanks"])
    #expect(try service.exportedAddresses() == ["ana@example.org"])
    let others = try browser.requestedURLs().filter {
      !$0.hasPrefix("http://127.0.0.1:\(service.port)/")
    }
    #expect(others.isEmpty, "the page sends no requests to other sites")
    try visit.end()
  }

  @Test func `the button is disabled while its command executes`() throws {
    let visit = try Visit(["--database-timeout", "5s"])
    let (service, browser) = (visit.service, visit.browser)
    let lock = try StolenLock(of: service)
    try browser.type("ana@example.org", into: "#email")
    try browser.until("the button is enabled") { try browser.isEnabled("#subscribe") }
    try browser.click("#subscribe")
    try waitForStatus("Sending request...", browser)
    #expect(try !browser.isEnabled("#subscribe"))
    try lock.giveBack()
    try waitForStatus("Thanks", browser)
    #expect(try browser.isEnabled("#subscribe"))
    try visit.end()
  }

  @Test func `a failed execution shows the error message and never thanks`() throws {
    let visit = try Visit(["--database-timeout", "0s"])
    let (service, browser) = (visit.service, visit.browser)
    let lock = try StolenLock(of: service)
    try browser.type("ana@example.org", into: "#email")
    try browser.until("the button is enabled") { try browser.isEnabled("#subscribe") }
    try browser.click("#subscribe")
    try browser.until("it has failed") {
      try browser.evaluate("return document.querySelector('#status').dataset.state")
        as? String == "failed"
    }
    #expect(try browser.text("#status") == "Error :(")
    try lock.giveBack()
    try visit.end()
  }

  @Test func `one click accepts a suggestion`() throws {
    let visit = try Visit()
    let browser = visit.browser
    #expect(try browser.count("#suggestion") == 0)
    try browser.type("ana@gmial.com", into: "#email")
    try browser.until("there is a suggestion") { try browser.count("#suggestion") == 1 }
    #expect(try browser.text("#suggestion") == "Did you mean ana@gmail.com?")
    try browser.click("#suggestion")
    try browser.until("it is gone") { try browser.count("#suggestion") == 0 }
    #expect(
      try browser.evaluate("return document.querySelector('#email').value") as? String
        == "ana@gmail.com"
    )
    #expect(try browser.isEnabled("#subscribe"))
    try visit.end()
  }

  @Test func `leaving the field explains why the address is invalid`() throws {
    let visit = try Visit([], Browser.Options(language: "de"))
    let browser = visit.browser
    try browser.type("ana@@example.org\t", into: "#email")
    try waitForStatus("Eine Adresse darf nur ein @-Zeichen enthalten.", browser)
    #expect(
      try browser.evaluate("return document.querySelector('#email').getAttribute('aria-invalid')")
        as? String == "true")
    try visit.end()
  }

  @Test func `the page can be operated with the keyboard alone`() throws {
    let visit = try Visit()
    let (service, browser) = (visit.service, visit.browser)
    try browser.press("\u{E004}")
    try browser.press("ana@example.org")
    try browser.until("the button is enabled") { try browser.isEnabled("#subscribe") }
    try browser.press("\u{E004}")
    #expect(try browser.evaluate("return document.activeElement.id") as? String == "subscribe")
    try browser.press(" ")
    try waitForStatus("Thanks", browser)
    #expect(try service.exportedAddresses() == ["ana@example.org"])
    try visit.end()
  }

  @Test func `the form works without JavaScript, and a rejection keeps the input`() throws {
    let visit = try Visit([], Browser.Options(hasScript: false))
    let (service, browser) = (visit.service, visit.browser)
    #expect(try browser.isEnabled("#subscribe"))
    try browser.type("ana@@gmial.com", into: "#email")
    try browser.click("#subscribe")
    try browser.waitForElement(xpath: "//p[. = 'An address can contain only one @ sign.']")
    try browser.click("noscript button")
    try browser.waitForElement(xpath: "//h1[. = 'Thanks']")
    #expect(try browser.url().contains("/thanks/"))
    #expect(try service.exportedAddresses() == ["ana@gmail.com"])
    try visit.end()
  }

  @Test(arguments: [(1280, false), (1280, true), (360, false), (360, true)])
  func `the page passes axe and clips no content`(width: Int, isDark: Bool) throws {
    let visit = try Visit([], Browser.Options(width: width, isDark: isDark))
    let browser = visit.browser
    try browser.type("ana@@gmial.com\t", into: "#email")
    try browser.until("there is a suggestion") { try browser.count("#suggestion") == 1 }
    #expect(try browser.fitsWidth())
    #expect(try browser.accessibilityViolations() == [])
    try visit.end()
  }

  /// The pictures of the README; `ENLIST_SCREENSHOTS=update` takes them again.
  @Test(arguments: [false, true])
  func `the README shows the page in the light and the dark scheme`(isDark: Bool) throws {
    let visit = try Visit([], Browser.Options(width: 640, height: 480, scale: 2, isDark: isDark))
    let browser = visit.browser
    try browser.type("ana@gmial.com\t", into: "#email")
    try browser.until("there is a suggestion") { try browser.count("#suggestion") == 1 }
    // The caret blinks.
    try browser.evaluate("document.activeElement.blur()")
    let picture = try browser.screenshot()
    let file = Repository.root.appending(
      path: "docs/images/sign-up-\(isDark ? "dark" : "light").png")
    if ProcessInfo.processInfo.environment["ENLIST_SCREENSHOTS"] == "update" {
      try picture.write(to: file)
    }
    // Fonts differ between machines, so only the dimensions are compared (bytes 16 to 23 of a PNG).
    #expect(try Data(contentsOf: file).prefix(24) == picture.prefix(24))
    try visit.end()
  }
}
