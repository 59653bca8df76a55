import TestSupport
import Testing

/// Tests of the sign-up page in a real browser.
@Suite(.serialized, .needsBrowser)
struct SignUpPageTests {
  /// A browser with the page of a service.
  private struct Visit {
    let service: Enlist
    let browser: Browser

    init(_ flags: [String] = [], _ options: Browser.Options = Browser.Options()) throws {
      service = try Enlist(flags)
      browser = try Browser(options)
      try open()
    }

    func open() throws {
      try browser.open("http://127.0.0.1:\(service.port)/")
    }

    func expect(_ addresses: [String]) throws {
      let stored = try service.addresses()
      #expect(stored == addresses)
    }

    /// Expects no complaints of the browser but its own message for a rejected request.
    func end() throws {
      try browser.expectNoComplaints(butOf: [409, 422, 503])
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
    // Records every text of the status line, however briefly it is shown.
    try browser.evaluate(
      """
      window.said = []
      new MutationObserver(() => said.push(document.querySelector('#status').textContent))
        .observe(document.querySelector('#status'), { childList: true })
      """
    )
    try browser.click("#subscribe")
    try browser.waitForText("Thanks", in: "#status")
    try browser.expect("said", ["Sending request...", "Thanks"])
    try visit.expect(["ana@example.org"])
    let others = try browser.requestedURLs().filter {
      !$0.hasPrefix("http://127.0.0.1:\(service.port)/")
    }
    #expect(others.isEmpty, "the page sends no requests to other sites")
    try visit.end()
  }

  @Test func `the button is disabled while its command executes`() throws {
    let visit = try Visit(["--database-timeout", "5s"])
    let browser = visit.browser
    let lock = try StolenLock(of: visit.service)
    try browser.type("ana@example.org", into: "#email")
    try browser.click("#subscribe")
    try browser.waitForText("Sending request...", in: "#status")
    #expect(try !browser.isEnabled("#subscribe"))
    try lock.giveBack()
    try browser.waitForText("Thanks", in: "#status")
    #expect(try browser.isEnabled("#subscribe"))
    try visit.end()
  }

  @Test func `a failed execution shows the error message and never thanks`() throws {
    let visit = try Visit(["--database-timeout", "0s"])
    let browser = visit.browser
    let lock = try StolenLock(of: visit.service)
    try browser.type("ana@example.org", into: "#email")
    try browser.click("#subscribe")
    try browser.wait(for: "document.querySelector('#status').dataset.state", "failed")
    let text = try browser.text("#status")
    #expect(text == "Error :(")
    try lock.giveBack()
    try visit.end()
  }

  @Test func `one click accepts a suggestion`() throws {
    let visit = try Visit()
    let browser = visit.browser
    #expect(try browser.count("#suggestion") == 0)
    try typeUnlikelyAddress(browser)
    let text = try browser.text("#suggestion")
    #expect(text == "Did you mean ana@gmail.com?")
    try browser.click("#suggestion")
    try eventually("no suggestion") { try browser.count("#suggestion") == 0 }
    try browser.expect("document.querySelector('#email').value", "ana@gmail.com")
    #expect(try browser.isEnabled("#subscribe"))
    try visit.end()
  }

  @Test func `leaving the field explains why the address is invalid`() throws {
    let visit = try Visit([], Browser.Options(language: "de"))
    let browser = visit.browser
    try browser.type("ana@@example.org\t", into: "#email")
    try browser.waitForText("Eine Adresse darf nur ein @-Zeichen enthalten.", in: "#status")
    try browser.expect("document.querySelector('#email').getAttribute('aria-invalid')", "true")
    try visit.end()
  }

  @Test func `the page can be operated with the keyboard alone`() throws {
    let visit = try Visit()
    let browser = visit.browser
    try browser.press("\u{E004}")
    try browser.press("ana@example.org")
    try eventually("an enabled button") { try browser.isEnabled("#subscribe") }
    try browser.press("\u{E004}")
    try browser.expect("document.activeElement.id", "subscribe")
    try browser.press(" ")
    try browser.waitForText("Thanks", in: "#status")
    try visit.expect(["ana@example.org"])
    try visit.end()
  }

  @Test func `the form works without JavaScript, and a rejection keeps the input`() throws {
    let visit = try Visit([], Browser.Options(hasScript: false))
    let browser = visit.browser
    #expect(try browser.isEnabled("#subscribe"))
    try browser.type("ana@@gmial.com", into: "#email")
    try browser.click("#subscribe")
    try browser.waitForElement(xpath: "//p[. = 'An address can contain only one @ sign.']")
    try browser.click("noscript button")
    try browser.waitForElement(xpath: "//h1[. = 'Thanks']")
    let url = try browser.url()
    #expect(url.contains("/thanks/"))
    try visit.expect(["ana@gmail.com"])
    try visit.end()
  }

  /// The flags of a page without and with a box and a field.
  private static let pages: [[String]] = [
    [], ["--fields", "first_name*", "--consent-text", "Send me News by email."],
  ]

  @Test(arguments: pages)
  func `the page passes axe, and fits a narrow window with any font`(flags: [String]) throws {
    let visit = try Visit(flags)
    for width in [1280, 320] {
      for isDark in [false, true] {
        try visit.browser.change(to: Browser.Options(width: width, isDark: isDark))
        try visit.open()
        try typeUnlikelyAddress(visit.browser, "ana@@gmial.com\t")
        try visit.browser.expectAccessible("\(width), \(isDark ? "dark" : "light")")
      }
    }
    for font in ["Noto Sans", "DejaVu Sans", "monospace"] {
      if font != "monospace" { try visit.browser.expectFont(font) }
      try visit.browser.evaluate("document.body.style.fontFamily = '\(font)'")
      #expect(try visit.browser.fitsWidth(), "\(font)")
    }
    try visit.end()
  }

  @Test func `what nobody has touched is not invalid to a screen reader, only what is rejected`()
    throws
  {
    let visit = try Visit(["--consent-text", "Send me News by email."])
    let box = "checkbox Send me News by email."
    let isInvalid = "document.querySelector('[name=consent]').getAttribute('aria-invalid')"
    try visit.browser.wait(for: "document.querySelector('#subscribe').disabled", true)
    try visit.browser.expect(isInvalid, "false")
    try visit.browser.expectTree(
      ["textbox Email address required", box, "button Subscribe disabled"], "the form")
    try visit.browser.click("[name=consent]")
    try visit.browser.click("[name=consent]")
    try visit.browser.expect(isInvalid, "false")
    try visit.browser.expectTree(["\(box) focused"], "a box that is empty again")
    // It comes before the button that needs it.
    try visit.browser.expect(
      "[...document.forms[0].elements].map(field => field.name || field.id)",
      ["email", "consent", "subscribe"])
    try visit.browser.type("ana@@example.com\t", into: "#email")
    try visit.browser.waitForText("An address can contain only one @ sign.", in: "#status")
    try visit.browser.expectTree(
      ["textbox Email address invalid required", "button Did you mean ana@example.com?"],
      "a refusal")
    try visit.end()
  }

  /// The pictures of the README; `ENLIST_SCREENSHOTS=update` takes them again.
  @Test func `the README shows the page in the light and the dark scheme`() throws {
    let visit = try Visit()
    for (isDark, scheme) in [(false, "light"), (true, "dark")] {
      try visit.browser.change(
        to: Browser.Options(width: 640, height: 480, scale: 2, isDark: isDark))
      try visit.open()
      try typeUnlikelyAddress(visit.browser, "ana@gmial.com\t")
      // The caret blinks.
      try visit.browser.evaluate("document.activeElement.blur()")
      try visit.browser.expectPicture("docs/images/sign-up-\(scheme).png")
    }
    try visit.end()
  }

  private func typeUnlikelyAddress(
    _ browser: Browser, _ address: String = "ana@gmial.com"
  ) throws {
    try browser.type(address, into: "#email")
    try eventually("a suggestion") { try browser.count("#suggestion") == 1 }
  }
}
