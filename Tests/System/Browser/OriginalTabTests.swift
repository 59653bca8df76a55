import TestSupport
import Testing

/// Tests of the tab of a sign-up, which follows its execution until the owner has confirmed.
@Suite(.serialized, .needsBrowser)
struct OriginalTabTests {
  /// Where a person signs up.
  private enum Origin: String, CaseIterable {
    case signUpPage, thanksPage, otherSite

    /// Who signs up there.
    var address: String { "\(rawValue.lowercased())@example.com" }
  }

  private let site: PageServer
  private let visit: MailVisit
  private var browser: Browser { visit.browser }

  init() throws {
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
    visit = try MailVisit(
      ["--allowed-origins", "http://127.0.0.1:\(site.port)"] + .openMetrics)
  }

  // MARK: Steps

  /// Signs up, waits until there is a field for the code, and returns the mail.
  private func signUp(at origin: Origin = .signUpPage) throws -> String {
    // Those of the pages before.
    _ = try browser.requestedURLs()
    switch origin {
    case .thanksPage:
      let id = try visit.service.signUp(origin.address).expect(202).execution
      try visit.open("/thanks/\(id)")
    case .signUpPage, .otherSite:
      try browser.open(
        origin == .signUpPage ? MailVisit.url("/") : "http://127.0.0.1:\(site.port)/")
      try browser.type(origin.address, into: "[name=email]")
      try browser.click("button")
    }
    try waitForCodeField()
    var requested: [String] = []
    try eventually("a request to follow until the confirmation") {
      requested += try browser.requestedURLs()
      return requested.contains { $0.hasSuffix("/events?until=confirmed") }
    }
    return try visit.service.mail(to: origin.address)
  }

  private func waitForCodeField() throws {
    try eventually("a field for the code") { try browser.count("[name=code]") > 0 }
  }

  /// Presses the button of the mail's page in another tab.
  private func confirmElsewhere(_ mail: String) throws {
    try browser.inAnotherTab(MailVisit.url(try mail.link("confirm"))) {
      try visit.press(to: "You are subscribed")
    }
  }

  /// Waits for the status line below the field.
  private func waitForStatus(_ text: String) throws {
    try browser.waitForText(text, in: "form:not([data-enlist]) [role=status]")
  }

  /// Expects the end, which is the same for each way to confirm.
  private func expectConfirmed(at origin: Origin = .signUpPage) throws {
    try waitForStatus("Confirmed ✓")
    try browser.expect("document.querySelector('[name=code]') === null", true)
    if origin == .otherSite {
      try browser.expect("events", ["started", "completed", "confirmed"])
    }
    let people = try visit.service.people()
    #expect(people[origin.address] == "subscribed", "\(people)")
    let violations = try browser.accessibilityViolations(.wcag)
    #expect(violations == [], "\(origin)")
    try visit.end()
  }

  // MARK: Tests

  @Test func `the tab says Confirmed after the button was pressed in another tab`() throws {
    for origin in Origin.allCases {
      try confirmElsewhere(try signUp(at: origin))
      try expectConfirmed(at: origin)
    }
  }

  @Test func `a tab that nobody sees has no stream, and says Confirmed when it is seen`() throws {
    let mail = try signUp()
    try eventually("a stream") { try visit.service.metric("enlist_streams") == 1 }
    try browser.inAnotherTab(MailVisit.url(try mail.link("confirm"))) {
      try eventually("no stream") { try visit.service.metric("enlist_streams") == 0 }
      try visit.press(to: "You are subscribed")
    }
    try expectConfirmed()
  }

  @Test func `a wrong code shows the tries that are left, and the code of the mail confirms`()
    throws
  {
    for origin in Origin.allCases {
      let mail = try signUp(at: origin)
      try browser.type(mail.wrongCode, into: "[name=code]")
      try browser.press("\u{E007}")
      try waitForStatus("The code is wrong, or has expired. You can try 4 more times.")
      try browser.expect("document.querySelector('[name=code]').ariaInvalid", "true")
      // The wrong code is selected, so typing replaces it.
      try browser.press(mail.code)
      try browser.press("\u{E007}")
      try expectConfirmed(at: origin)
    }
  }

  @Test func `a screen reader hears what is left to do, and the focus never falls to the body`()
    throws
  {
    let focused = """
      document.activeElement.getAttribute('role')
        || document.activeElement.localName + ' ' + document.activeElement.textContent
      """
    for origin in [Origin.signUpPage, .otherSite] {
      let mail = try signUp(at: origin)
      let label: String
      if origin == .signUpPage {
        try browser.expect(focused, "h2 Check your email")
        label = "Press the button in it, or type its code:"
        try browser.expectTree(
          ["heading Check your email focused", "textbox \(label)", "button Confirm"], "Thanks")
      } else {
        try browser.expect(focused, "button Join")
        try eventually("a live region that says where to confirm") {
          try browser.text("form + form [aria-live=polite]").hasPrefix("Check your email")
        }
        label = "Check your email and press the button there, or type the code:"
        try browser.expectTree(
          ["button Join focused", "textbox \(label)", "button Confirm"], "Thanks")
      }
      try browser.type(mail.wrongCode + "\u{E007}", into: "[name=code]")
      try waitForStatus("The code is wrong, or has expired. You can try 4 more times.")
      try browser.expectTree(["textbox \(label) focused invalid"], "a wrong code")
      try browser.press(mail.code + "\u{E007}")
      try waitForStatus("Confirmed ✓")
      try browser.expect(focused, "status")
      try browser.expectTree(["status focused"], "the end")
      try expectConfirmed(at: origin)
    }
  }

  @Test func `the focus moves on when the person confirms in another tab`() throws {
    try confirmElsewhere(try signUp())
    try waitForStatus("Confirmed ✓")
    try browser.expect("document.activeElement.role", "status")
    try expectConfirmed()
  }

  @Test(arguments: ["reload", "back", "tab"])
  func `the field for the code outlives the page of the sign-up`(way: String) throws {
    let mail = try signUp()
    switch way {
    case "reload": try browser.command("POST", "/refresh")
    case "back":
      try visit.open("/problems/not-found")
      try browser.command("POST", "/back")
    default: try browser.open(try browser.url())
    }
    try waitForCodeField()
    let url = try browser.url()
    #expect(!url.contains("example.com"))
    try browser.type(mail.code + "\u{E007}", into: "[name=code]")
    try expectConfirmed()
  }

  @Test func `signing up and typing the code need only the keyboard`() throws {
    try visit.open("/")
    try browser.press("\u{E004}")
    try browser.press("ana@example.com")
    try eventually("an enabled button") { try browser.isEnabled("#subscribe") }
    try browser.press("\u{E007}")
    let code = try visit.service.mail(to: "ana@example.com").code
    try waitForCodeField()
    // The form with the field of the address is gone.
    try browser.press("\u{E004}")
    try browser.expect("document.activeElement.name", "code")
    try browser.press("\(code)\u{E007}")
    try browser.waitForText("Confirmed ✓", in: "#confirm [role=status]")
    try visit.expect(["ana@example.com": "subscribed"])
    try visit.end()
  }

  @Test func `the code can be typed without JavaScript`() throws {
    try browser.change(to: Browser.Options(hasScript: false))
    try visit.open("/")
    try browser.type("ana@example.com", into: "#email")
    try visit.press("#subscribe", to: "Thanks")
    let mail = try visit.service.mail(to: "ana@example.com")
    try browser.type(mail.wrongCode, into: "#code")
    try browser.click("form button")
    try browser.waitForElement(
      xpath: "//p[. = 'The code is wrong, or has expired. You can try 4 more times.']")
    try browser.type(mail.code, into: "#code")
    try visit.press("form button", to: "Confirmed ✓")
    try visit.expect(["ana@example.com": "subscribed"])
    try visit.end()
  }
}
