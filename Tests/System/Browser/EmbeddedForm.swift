import Foundation
import TestSupport
import Testing

/// A form of a list with double opt-in on a page of another site, in a browser.
struct EmbeddedForm {
  let visit: MailVisit
  private let site: PageServer

  var browser: Browser { visit.browser }
  var service: Enlist { visit.service }

  /// Opens the page.
  ///
  /// - Parameters:
  ///   - html: The form with its script, as the documents show it.
  ///   - language: The language of the page.
  ///   - flags: Additional flags of the service.
  ///   - isAllowed: Whether the service allows the site.
  ///   - browserLanguage: The language of the browser.
  ///   - streams: What nginx does with event streams, as of `MailVisit`.
  init(
    _ html: String, language: String = "en", _ flags: [String] = [], isAllowed: Bool = true,
    browserLanguage: String = "en", streams: String? = nil
  ) throws {
    site = try PageServer()
    let origins = isAllowed ? ["--allowed-origins", "http://127.0.0.1:\(site.port)"] : []
    visit = try MailVisit(
      origins + flags, Browser.Options(language: browserLanguage), streams: streams)
    try show(html, language: language)
  }

  /// Opens another page of the site.
  ///
  /// - Parameters:
  ///   - html: The form with its script.
  ///   - language: The language of the page.
  ///   - policy: The content security policy of the page.
  func show(_ html: String, language: String = "en", policy: String = "") throws {
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
    try browser.click("button:not([type])")
  }

  /// The events of the form, in their order.
  func events() throws -> [String] { try browser.evaluate("return events") as? [String] ?? [] }

  func waitForText(_ text: String, in selector: String = "[role=status]") throws {
    try browser.wait(for: "document.querySelector('\(selector)')?.textContent", text)
  }
}
