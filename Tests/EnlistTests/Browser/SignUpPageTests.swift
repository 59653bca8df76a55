import Foundation
import TestSupport
import Testing

/// The sign-up page in a real browser.
@Suite(
  .serialized,
  .enabled(if: Browser.isInstalled, "chromedriver is missing: Scripts/bootstrap test installs it")
)
struct SignUpPageTests {
  /// A browser at the page of a service; both live until it ends.
  private final class Visit {
    let service: RunningService
    let browser: Browser

    init(_ arguments: [String] = [], _ options: Browser.Options = Browser.Options()) throws {
      service = try RunningService(arguments)
      browser = try Browser(options)
      try browser.open("http://127.0.0.1:\(service.port)/")
    }

    /// Ends the browser, whose console must have said nothing but its own line for a rejection.
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

  @Test func `the button is enabled by a valid address, and the status line tells what happens`()
    throws
  {
    let visit = try Visit()
    let (service, browser) = (visit.service, visit.browser)
    #expect(try !browser.isEnabled("#subscribe"))
    try browser.type("ana@example", into: "#email")
    #expect(try !browser.isEnabled("#subscribe"))
    try browser.type(".org", into: "#email")
    try browser.until("the button is enabled") { try browser.isEnabled("#subscribe") }
    // Every text that the status line has had, however short.
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
    #expect(others.isEmpty, "no other site is asked")
    try visit.end()
  }

  @Test func `the button cannot be pressed while its command executes`() throws {
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

  @Test func `a failed execution says Error, and never Thanks`() throws {
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

  @Test func `a suggestion is accepted with one click`() throws {
    let visit = try Visit()
    let browser = visit.browser
    #expect(try !browser.isShown("#suggestion"))
    try browser.type("ana@gmial.com", into: "#email")
    try browser.until("there is a suggestion") { try browser.isShown("#suggestion") }
    #expect(try browser.text("#suggestion") == "Did you mean ana@gmail.com?")
    try browser.click("#suggestion")
    try browser.until("it is gone") { try !browser.isShown("#suggestion") }
    #expect(
      try browser.evaluate("return document.querySelector('#email').value") as? String
        == "ana@gmail.com"
    )
    #expect(try browser.isEnabled("#subscribe"))
    try visit.end()
  }

  @Test func `what is no address is explained when the field is left`() throws {
    let visit = try Visit([], Browser.Options(language: "de"))
    let browser = visit.browser
    try browser.type("ana@@example.org\t", into: "#email")
    try waitForStatus("Eine Adresse hat nur ein @-Zeichen.", browser)
    #expect(
      try browser.evaluate(
        "return document.querySelector('#email').getAttribute('aria-invalid')"
      ) as? String == "true"
    )
    try visit.end()
  }

  @Test func `the keyboard alone is enough`() throws {
    let visit = try Visit()
    let (service, browser) = (visit.service, visit.browser)
    try browser.press("\u{E004}")
    try browser.press("ana@example.org")
    try browser.until("the button is enabled") { try browser.isEnabled("#subscribe") }
    try browser.press("\u{E004}")
    #expect(
      try browser.evaluate("return document.activeElement.id") as? String == "subscribe"
    )
    try browser.press(" ")
    try waitForStatus("Thanks", browser)
    #expect(try service.exportedAddresses() == ["ana@example.org"])
    try visit.end()
  }

  @Test func `without script the form works, and rejections keep what was typed`() throws {
    let visit = try Visit([], Browser.Options(hasScript: false))
    let (service, browser) = (visit.service, visit.browser)
    #expect(try browser.isEnabled("#subscribe"))
    try browser.type("ana@@gmial.com", into: "#email")
    try browser.click("#subscribe")
    try browser.waitForElement(xpath: "//p[. = 'An address has only one @ sign.']")
    try browser.click("noscript button")
    try browser.waitForElement(xpath: "//h1[. = 'Thanks']")
    #expect(try browser.url().contains("/thanks/"))
    #expect(try service.exportedAddresses() == ["ana@gmail.com"])
    try visit.end()
  }

  @Test(arguments: [(1280, false), (1280, true), (360, false), (360, true)])
  func `nothing is wrong for axe, and nothing is cut off`(width: Int, isDark: Bool) throws {
    let visit = try Visit([], Browser.Options(width: width, isDark: isDark))
    let browser = visit.browser
    try browser.type("ana@@gmial.com\t", into: "#email")
    try browser.until("there is a suggestion") { try browser.isShown("#suggestion") }
    #expect(
      try browser.evaluate(
        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
      ) as? Bool == true
    )
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let axe = root.appending(path: ".build-axe/axe_core_python/axe.min.js")
    guard let script = try? String(contentsOf: axe, encoding: .utf8) else {
      print("axe-core is missing: Scripts/bootstrap test fetches it")
      return
    }
    try browser.evaluate(script)
    let violations =
      try browser.evaluate(
        """
        const done = arguments[arguments.length - 1]
        axe.run().then(result => done(result.violations.map(found =>
          found.id + ' ' + found.nodes.map(node => node.html).join(' '))))
        """,
        asynchronously: true
      ) as? [String]
    #expect(violations == [])
    if let folder = ProcessInfo.processInfo.environment["ENLIST_SCREENSHOTS"] {
      let name = "\(width)-\(isDark ? "dark" : "light").png"
      try browser.screenshot().write(to: URL(filePath: folder).appending(path: name))
    }
    try visit.end()
  }
}
