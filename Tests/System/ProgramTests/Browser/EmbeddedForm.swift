import Foundation
import TestSupport
import Testing

/// A form of a list with double opt-in on a page of another site, in a browser.
struct EmbeddedForm {
  let visit: MailVisit
  private let site: PageServer

  var browser: Browser { visit.browser }
  var service: RunningService { visit.service }

  /// Opens the page.
  ///
  /// - Parameters:
  ///   - html: The form with its script, as the documents show it.
  ///   - language: The language of the page.
  ///   - flags: Additional flags of the service.
  ///   - browserLanguage: The language of the browser.
  ///   - policy: The content security policy of the page.
  ///   - streams: What nginx does with event streams, as of `MailVisit`.
  /// - Throws: An error if the service or the browser does not start.
  init(
    _ html: String, language: String = "en", _ flags: [String] = [], browserLanguage: String = "en",
    policy: String = "", streams: String? = nil
  ) throws {
    site = try PageServer()
    site.page = """
      <!doctype html><html lang="\(language)"><head><title>A site</title>
      <script>
      window.events = []
      for (const name of ['started', 'completed', 'failed', 'refused', 'confirmed'])
        document.addEventListener('enlist:' + name, event => events.push(name))
      </script>
      <meta http-equiv="Content-Security-Policy" content="\(policy)"></head><body>
      \(html.replacing("https://list.example.org", with: "http://localhost"))
      """
    visit = try MailVisit(
      ["--allowed-origins", "http://127.0.0.1:\(site.port)"] + flags,
      Browser.Options(language: browserLanguage), streams: streams)
    try browser.open("http://127.0.0.1:\(site.port)/")
  }

  /// The block of a document with a form.
  static func documented(in path: String) throws -> String {
    let blocks = try Document(path).text.components(separatedBy: "```html\n").dropFirst()
    return try #require(blocks.first { $0.hasPrefix("<form data-enlist") })
      .components(separatedBy: "```")[0]
  }

  /// Returns a form with more fields than the address.
  static func html(_ fields: String, _ attributes: String = "", email: String = "") -> String {
    """
    <form data-enlist \(attributes) method="post" action="https://list.example.org/subscribers">
    <input type="email" name="email" \(email)> \(fields) <button>Join</button>
    </form>
    <script src="https://list.example.org/embed.js"></script>
    """
  }

  /// Types an address, and presses the button once it is enabled.
  func submit(_ address: String = "ana@example.com") throws {
    try browser.type(address, into: "[name=email]")
    try browser.until("the button is enabled") { try browser.isEnabled("button:not([type])") }
    try browser.click("button:not([type])")
  }

  /// The events of the form, in their order.
  func events() throws -> [String] { try browser.evaluate("return events") as? [String] ?? [] }

  /// The name of the field with the focus.
  func focusedField() throws -> String? {
    try browser.evaluate("return document.activeElement.name") as? String
  }

  func waitForText(_ text: String, in selector: String = "[role=status]") throws {
    try browser.until("\(selector) says \(text)") {
      try browser.evaluate("return document.querySelector('\(selector)')?.textContent") as? String
        == text
    }
  }
}
