import TestSupport
import Testing

/// Tests of the tab of a sign-up, which follows its execution until the owner has confirmed.
@Suite(
  .serialized,
  .needsBrowser)
struct OriginalTabTests {
  /// Where a person signs up.
  enum Origin: String, CaseIterable, Sendable {
    case signUpPage, thanksPage, otherSite
  }

  /// A tab after a sign-up, with a field for the code.
  private struct Tab {
    let visit: MailVisit
    let mail: String
    private let site: PageServer

    /// The status line below the field.
    static let status = "form:not([data-enlist]) [role=status]"

    init(_ origin: Origin) throws {
      site = try PageServer()
      site.page = """
        <!doctype html><html lang="en"><title>A site</title><body>
        <script>
        window.events = []
        for (const name of ['started', 'completed', 'failed', 'refused', 'confirmed'])
          document.addEventListener('enlist:' + name, event => events.push(name))
        </script>
        <form data-enlist data-enlist-code method="post" action="\(MailVisit.url("/subscribers"))">
        <label>Email <input type="email" name="email"></label> <button>Join</button>
        </form>
        <script src="\(MailVisit.url("/embed.js"))"></script>
        """
      visit = try MailVisit(["--allowed-origins", "http://127.0.0.1:\(site.port)"])
      let browser = visit.browser
      switch origin {
      case .thanksPage:
        try visit.open("/thanks/\(try visit.service.signUp("ana@example.com").execution())")
      case .signUpPage, .otherSite:
        let page =
          origin == .signUpPage ? MailVisit.url("/") : "http://127.0.0.1:\(site.port)/"
        try browser.open(page)
        try browser.type("ana@example.com", into: "[name=email]")
        try browser.until("the button is enabled") { try browser.isEnabled("button") }
        try browser.click("button")
      }
      try browser.until("there is a field for the code") {
        try browser.evaluate("return document.querySelector('[name=code]') !== null") as? Bool
          == true
      }
      mail = try visit.mail()
      var requested: [String] = []
      try browser.until("the tab follows until the confirmation") {
        requested += try browser.requestedURLs()
        return requested.contains { $0.hasSuffix("/events?until=confirmed") }
      }
    }

    func waitForStatus(_ text: String) throws {
      try visit.browser.until("the status line says \(text)") {
        try visit.browser.text(Self.status) == text
      }
    }

    /// Expects the end, which is the same for each way to confirm.
    func expectConfirmed(_ origin: Origin) throws {
      try waitForStatus("Confirmed ✓")
      let browser = visit.browser
      #expect(
        try browser.evaluate("return document.querySelector('[name=code]') === null") as? Bool
          == true
      )
      if origin == .otherSite {
        let events = try browser.evaluate("return events") as? [String]
        #expect(events == ["started", "completed", "confirmed"])
      }
      #expect(try visit.service.exportedStates() == ["ana@example.com": "subscribed"])
      #expect(try browser.accessibilityViolations(.wcag) == [])
      try visit.end()
    }
  }

  @Test(arguments: Origin.allCases)
  func `the tab says Confirmed after the button was pressed in another tab`(origin: Origin) throws {
    let tab = try Tab(origin)
    let (visit, browser) = (tab.visit, tab.visit.browser)
    let link = MailVisit.url(try tab.mail.firstLink("confirm"))
    try browser.inAnotherTab(link) { try visit.press(to: "You are subscribed") }
    try tab.expectConfirmed(origin)
  }

  @Test(arguments: Origin.allCases)
  func `a wrong code shows the tries that are left, and the code of the mail confirms`(
    origin: Origin
  ) throws {
    let tab = try Tab(origin)
    let browser = tab.visit.browser
    try browser.type(try tab.mail.wrongCode(), into: "[name=code]")
    try browser.press("\u{E007}")
    try tab.waitForStatus("The code is wrong, or has expired. You can try 4 more times.")
    #expect(
      try browser.evaluate("return document.querySelector('[name=code]').ariaInvalid")
        as? String == "true"
    )
    // The wrong code is selected, so typing replaces it.
    try browser.press(try tab.mail.code())
    try browser.press("\u{E007}")
    try tab.expectConfirmed(origin)
  }

  @Test(arguments: [Origin.signUpPage, .otherSite])
  func `a screen reader hears what is left to do, and the focus never falls to the body`(
    origin: Origin
  ) throws {
    let tab = try Tab(origin)
    let browser = tab.visit.browser
    let focused = """
      const { activeElement: element } = document
      return element.getAttribute('role') || element.localName + ' ' + element.textContent
      """
    switch origin {
    case .signUpPage, .thanksPage:
      #expect(try browser.evaluate(focused) as? String == "h2 Check your email")
    case .otherSite:
      #expect(try browser.evaluate(focused) as? String == "button Join")
      try browser.until("a live region says where to confirm") {
        try browser.text("form + form [aria-live=polite]").hasPrefix("Check your email")
      }
    }
    try browser.type(try tab.mail.code() + "\u{E007}", into: "[name=code]")
    try tab.waitForStatus("Confirmed ✓")
    #expect(try browser.evaluate(focused) as? String == "status")
    try tab.expectConfirmed(origin)
  }

  @Test func `the focus moves on when the person confirms in another tab`() throws {
    let tab = try Tab(.signUpPage)
    let (visit, browser) = (tab.visit, tab.visit.browser)
    let link = MailVisit.url(try tab.mail.firstLink("confirm"))
    try browser.inAnotherTab(link) { try visit.press(to: "You are subscribed") }
    try tab.waitForStatus("Confirmed ✓")
    #expect(try browser.evaluate("return document.activeElement.role") as? String == "status")
    try tab.expectConfirmed(.signUpPage)
  }

  @Test(arguments: ["reload", "back", "tab"])
  func `the field for the code outlives the page of the sign-up`(way: String) throws {
    let tab = try Tab(.signUpPage)
    let (visit, browser) = (tab.visit, tab.visit.browser)
    switch way {
    case "reload": try browser.command("POST", "/refresh")
    case "back":
      try visit.open("/problems/not-found")
      try browser.command("POST", "/back")
    default: try browser.open(try browser.url())
    }
    try browser.until("there is a field for the code") { try browser.count("[name=code]") == 1 }
    #expect(try !browser.url().contains("ana"))
    try browser.type(try tab.mail.code() + "\u{E007}", into: "[name=code]")
    try tab.expectConfirmed(.signUpPage)
  }

  @Test func `signing up and typing the code need only the keyboard`() throws {
    let visit = try MailVisit()
    let browser = visit.browser
    try visit.open("/")
    try browser.press("\u{E004}")
    try browser.press("ana@example.com")
    try browser.until("the button is enabled") { try browser.isEnabled("#subscribe") }
    try browser.press("\u{E007}")
    let code = try visit.mail().code()
    try browser.until("there is a field for the code") {
      try browser.evaluate("return document.querySelector('[name=code]') !== null") as? Bool == true
    }
    // The form with the field of the address is gone.
    try browser.press("\u{E004}")
    #expect(try browser.evaluate("return document.activeElement.name") as? String == "code")
    try browser.press("\(code)\u{E007}")
    try browser.until("the status line says Confirmed") {
      try browser.text("#confirm [role=status]") == "Confirmed ✓"
    }
    #expect(try visit.service.exportedStates() == ["ana@example.com": "subscribed"])
    try visit.end()
  }

  @Test func `the code can be typed without JavaScript`() throws {
    let visit = try MailVisit([], Browser.Options(hasScript: false))
    let browser = visit.browser
    try visit.open("/")
    try browser.type("ana@example.com", into: "#email")
    try visit.press("#subscribe", to: "Thanks")
    let mail = try visit.mail()
    try browser.type(try mail.wrongCode(), into: "#code")
    try browser.click("form button")
    try browser.waitForElement(
      xpath: "//p[. = 'The code is wrong, or has expired. You can try 4 more times.']")
    try browser.type(try mail.code(), into: "#code")
    try visit.press("form button", to: "Confirmed ✓")
    #expect(try visit.service.exportedStates() == ["ana@example.com": "subscribed"])
    try visit.end()
  }
}
