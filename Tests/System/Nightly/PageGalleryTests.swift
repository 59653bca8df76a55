import Foundation
import TestSupport
import Testing

/// Every page that a visitor meets, with the look and the words of an owner.
///
/// With `ENLIST_SCREENSHOTS` set to the path of a directory, each page is saved there as PNG; see
/// `Scripts/screenshots`.
@Suite(
  .serialized,
  .needsBrowser)
struct PageGalleryTests {
  /// A window, and the language of its visitor.
  struct Look: Sendable, CustomStringConvertible {
    let width: Int
    let isDark: Bool
    let language: String
    var description: String { "\(width)-\(isDark ? "dark" : "light")-\(language)" }
  }

  private static let allLooks = [360, 768, 1280].flatMap { width in
    [false, true].flatMap { isDark in
      ["en", "de", "ar"].map { Look(width: width, isDark: isDark, language: $0) }
    }
  }

  /// All looks if pictures are taken; otherwise a part that has each value with each other.
  private static let looks = allLooks.enumerated().compactMap { index, look in
    Browser.pictures != nil || [0, 2, 4, 7, 11, 14, 15].contains(index) ? look : nil
  }

  private static let logo = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><path d="M24 44V22m0 0C10 22 8 10 8 \
    6c12 0 16 8 16 16zm0 0c0-8 4-14 16-14 0 4-2 14-16 14z" fill="#3c7a3c" stroke="#3c7a3c" \
    stroke-width="3"/></svg>
    """

  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(Self.logo, to: "logo.svg")
    let texts = Repository.root.appending(path: "Tests/System/Nightly/ar.json")
    try folder.write(String(contentsOf: texts, encoding: .utf8), to: "ar.json")
  }

  private func flags() -> [String] {
    [
      "--list-name", "Garden Letters",
      "--list-description", "One letter about gardens, on the first Sunday of each month.",
      "--site-url", "https://garden.example", "--logo", folder("logo.svg"),
      "--accent-color", "#7a1f5c", "--privacy-url", "https://garden.example/privacy",
      "--imprint-url", "https://garden.example/imprint", "--texts", folder.path,
      "--consent-text", "Send me Garden Letters by email. I can leave at any time.",
      "--fields", "name,city",
      "--allowed-origins", "http://127.0.0.1", "--database-timeout", "500ms",
    ]
  }

  /// Checks a page, and saves it.
  private func inspect(_ browser: Browser, _ page: String, _ look: Look) throws {
    let violations = try browser.accessibilityViolations()
    #expect(violations == [], "\(page) \(look)")
    #expect(try browser.fitsWidth(), "\(page) \(look)")
    guard let directory = Browser.pictures else { return }
    try browser.screenshot().write(to: URL(filePath: "\(directory)/\(page)-\(look).png"))
  }

  @Test(arguments: looks)
  func `every page has the look of the owner, fits the window, and passes axe`(look: Look) throws {
    let visit = try MailVisit(
      flags(),
      Browser.Options(
        width: look.width, height: 800, isDark: look.isDark, language: look.language,
        reducesMotion: true))
    let browser = visit.browser
    try visit.open("/")
    try browser.type("ana@@gmial.com\t", into: "#email")
    try eventually("there is a suggestion") { try browser.count("#suggestion") == 1 }
    try inspect(browser, "sign-up", look)

    try browser.click("#suggestion")
    try browser.click("#subscribe")
    try browser.expect("document.activeElement.name", "consent")
    try browser.click("[name=consent]")
    try browser.click("#subscribe")
    try browser.wait(for: "document.querySelector('[name=code]') !== null", true)
    let address = try browser.text("[data-enlist-address]")
    #expect(address == "ana@gmail.com")
    #expect(try !browser.isShown("#email"))
    let mail = try visit.service.mail(to: "ana@gmail.com")
    try browser.type(mail.wrongCode + "\u{E007}", into: "[name=code]")
    try eventually("the code is rejected") {
      try !browser.text("#confirm [role=status]").isEmpty
    }
    try inspect(browser, "check-your-email", look)

    try visit.open(try mail.link("confirm"))
    try inspect(browser, "confirm", look)
    try browser.click("button")
    try browser.waitForElement(xpath: "//main[not(.//button)]")
    try browser.expect("document.links.length", 4)
    try inspect(browser, "confirmed", look)

    try visit.open(try mail.link("unsubscribe"))
    try inspect(browser, "leave", look)
    try browser.click("button")
    try browser.waitForElement(xpath: "//main[not(.//form[@method = 'post'])]")
    try inspect(browser, "left", look)
    try visit.open(try mail.link("confirm"))
    try inspect(browser, "410", look)
    try visit.open("/none")
    try inspect(browser, "404", look)

    let id = try visit.service.signUp("bea@example.com").execution
    try visit.open("/thanks/\(id)")
    try inspect(browser, "thanks", look)

    try visit.open("/")
    try browser.evaluate(
      """
      const form = document.forms[0].cloneNode(true)
      form.elements.email.type = 'text'
      form.elements.email.value = 'ana@@gmial.com'
      form.elements.consent.checked = true
      document.body.append(form)
      HTMLFormElement.prototype.submit.call(form)
      """
    )
    try browser.waitForElement(xpath: "//input[@aria-invalid = 'true']")
    try inspect(browser, "422", look)
    // The store is closed to others; so the page for a link says to wait.
    let lock = try StolenLock(of: visit.service)
    try browser.evaluate(
      """
      const form = document.createElement('form')
      form.method = 'post'
      form.action = '\(try mail.link("unsubscribe"))'
      document.body.append(form)
      form.submit()
      """
    )
    try browser.waitForElement(xpath: "//main/p/a[@href = '']")
    try inspect(browser, "503", look)
    try lock.giveBack()
  }

  @Test(arguments: allLooks.filter { $0.language == "en" }, [false, true])
  func `an embedded form has the box and the texts of the list`(look: Look, hasStyle: Bool) throws {
    let site = try PageServer()
    site.page = """
      <!doctype html><html lang="en"><head><title>A site</title>
      <meta name="viewport" content="width=device-width">
      <style>:root { color-scheme: light dark } body { font-family: serif; background: Canvas; color: CanvasText }</style>
      \(hasStyle ? "<link rel=stylesheet href=http://localhost/embed.css>" : "")</head>
      <body><main><h1>The garden</h1><p>A page of another site.</p>
      <form class="enlist" data-enlist method="post" action="http://localhost/subscribers">
      <label>Email <input type="email" name="email"></label> <button>Subscribe</button>
      </form></main>
      <script src="http://localhost/embed.js"></script></body></html>
      """
    let origin = "http://127.0.0.1:\(site.port)"
    let visit = try MailVisit(
      flags().map { $0 == "http://127.0.0.1" ? origin : $0 },
      Browser.Options(width: look.width, height: 800, isDark: look.isDark, reducesMotion: true))
    let browser = visit.browser
    try browser.open(origin)
    try browser.type("ana@example.com", into: "[name=email]")
    try browser.wait(for: "document.querySelector('[name=consent]') !== null", true)
    try inspect(browser, "embedded-\(hasStyle ? "styled" : "plain")", look)
    try browser.click("button:not([type])")
    try browser.expect("document.activeElement.name", "consent")
    try browser.click("[name=consent]")
    try browser.click("button:not([type])")
    try browser.wait(for: "document.querySelector('[name=code]') !== null", true)
    try inspect(browser, "embedded-code-\(hasStyle ? "styled" : "plain")", look)
    try visit.end()
    #expect(
      try visit.service.file.texts("SELECT text FROM consents")
        == ["Send me Garden Letters by email. I can leave at any time."]
    )
  }
}
