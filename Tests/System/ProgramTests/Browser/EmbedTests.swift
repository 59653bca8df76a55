import Foundation
import TestSupport
import Testing

/// Tests of a form on another site with `embed.js`.
@Suite(
  .serialized,
  .needsBrowser)
struct EmbedTests {
  /// Returns the form that a site owner writes.
  private func form(_ port: UInt16) -> String {
    """
    <form data-enlist method="post" action="http://127.0.0.1:\(port)/subscribers">
    <label>Email <input type="email" name="email"></label> <button>Join</button>
    </form>
    <script src="http://127.0.0.1:\(port)/embed.js"></script>
    """
  }

  /// Opens a page of another site, which is another origin because of its port.
  private func openSite(_ site: PageServer, for service: RunningService) throws -> Browser {
    site.page = """
      <!doctype html><title>A site</title><body>
      <script>
      window.events = []
      for (const name of ['checked', 'started', 'completed', 'failed', 'refused'])
        document.addEventListener('enlist:' + name, event => events.push(name))
      </script>
      \(form(service.port))
      """
    let browser = try Browser()
    try browser.open("http://127.0.0.1:\(site.port)/")
    return browser
  }

  @Test func `a form on an allowed site updates live and dispatches events to the site`() throws {
    let site = try PageServer()
    let service = try RunningService(["--allowed-origins", "http://127.0.0.1:\(site.port)"])
    let browser = try openSite(site, for: service)
    try browser.type("ana@gmial.com", into: "input")
    try browser.until("there is a suggestion") {
      try browser.count("[type=button]") == 1
    }
    try browser.click("[type=button]")
    try browser.until("the button is enabled") { try browser.isEnabled("button") }
    try browser.click("button:not([type])")
    try browser.until("it says Thanks") {
      try browser.text("[role=status]") == "Thanks"
    }
    let events = try browser.evaluate("return events") as? [String]
    #expect(events?.filter { $0 != "checked" } == ["started", "completed"])
    #expect(try service.exportedAddresses() == ["ana@gmail.com"])
    #expect(try browser.console().isEmpty)
    browser.close()
  }

  @Test func `a form on a site that is not allowed adds no subscriber`() throws {
    let site = try PageServer()
    let service = try RunningService()
    let browser = try openSite(site, for: service)
    try browser.type("ana@example.org", into: "input")
    try browser.until("the button is enabled") {
      try browser.isEnabled("button:not([type])")
    }
    try browser.click("button:not([type])")
    try browser.until("it has failed") {
      (try browser.evaluate("return events") as? [String])?.contains("failed") == true
    }
    #expect(try browser.text("[role=status]").hasPrefix("Signing up here does not work"))
    #expect(try service.exportedAddresses().isEmpty)
    browser.close()
  }
}
