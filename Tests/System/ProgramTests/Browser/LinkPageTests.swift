import TestSupport
import Testing

/// Tests of the pages that the links of mails lead to, in a real browser.
@Suite(
  .serialized,
  .needsBrowser)
struct LinkPageTests {
  @Test func `a person confirms, leaves, and returns with a new link, without JavaScript`() throws {
    let visit = try MailVisit([], Browser.Options(hasScript: false))
    let (service, browser) = (visit.service, visit.browser)
    let mail = try visit.signUp()
    let (confirm, unsubscribe) = (try mail.firstLink("confirm"), try mail.firstLink("unsubscribe"))

    try visit.open(confirm)
    #expect(try browser.text("p") == "Press the button, and News will be sent to you.")
    #expect(try service.exportedStates() == ["ana@example.com": "pending"])
    try visit.press(to: "You are subscribed")
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])
    try visit.open(confirm)
    try visit.waitForTitle("You are already subscribed")

    try visit.open(unsubscribe)
    #expect(try browser.text("p") == "Press the button, and News will no longer be sent to you.")
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])
    try visit.press(to: "You have left News")
    #expect(try service.exportedStates() == ["ana@example.com": "unsubscribed"])

    // The link is from before leaving.
    try visit.open(confirm)
    try visit.waitForTitle("This link has expired")
    try browser.click("button")
    try browser.waitForElement(
      xpath: "//p[. = 'If this address can be confirmed, a new link is on its way.']")
    #expect(try service.exportedStates() == ["ana@example.com": "unsubscribed"])
    let links = try service.waitForMails(2).map { try $0.firstLink("confirm") }
    let newLink = try #require(links.first { $0 != confirm })
    try visit.open(newLink)
    try visit.press(to: "You are subscribed")
    #expect(try service.exportedStates() == ["ana@example.com": "subscribed"])

    let others = try browser.requestedURLs().filter { !$0.hasPrefix(MailVisit.url("/")) }
    #expect(others.isEmpty, "the pages send no requests to other sites")
    try visit.end()
  }

  @Test func `the pages of both links can be operated with the keyboard alone`() throws {
    let visit = try MailVisit()
    let mail = try visit.signUp()
    let steps = [
      ("confirm", "Confirm subscription", "subscribed"),
      ("unsubscribe", "Unsubscribe", "unsubscribed"),
    ]
    for (link, button, state) in steps {
      try visit.open(try mail.firstLink(link))
      // The name of the list is a link, too.
      try visit.browser.press("\u{E004}\u{E004}")
      #expect(
        try visit.browser.evaluate("return document.activeElement.textContent") as? String
          == button
      )
      try visit.browser.press("\u{E007}")
      // The next page has no button, or one that leads to the sign-up page.
      try visit.browser.waitForElement(xpath: "//main[not(.//form[@method = 'post'])]")
      #expect(try visit.service.exportedStates() == ["ana@example.com": state])
    }
    try visit.end()
  }

  @Test(arguments: [(1280, false), (1280, true), (320, false), (320, true)])
  func `every page after a sign-up passes axe, fits the window, and does not move`(
    width: Int, isDark: Bool
  ) throws {
    let visit = try MailVisit(
      listName: "Donaudampfschifffahrtsgesellschaftskapitänsmützen", [],
      Browser.Options(width: width, isDark: isDark, language: "de", reducesMotion: true))
    let browser = visit.browser
    func inspect(_ page: String) throws {
      #expect(try browser.accessibilityViolations() == [], "\(page)")
      #expect(try browser.fitsWidth(), "\(page)")
      #expect(try browser.isStill(), "\(page)")
    }
    try visit.open("/")
    try browser.type("ben@example.com", into: "#email")
    try browser.until("the button is enabled") { try browser.isEnabled("#subscribe") }
    try browser.click("#subscribe")
    try browser.waitForElement(xpath: "//input[@name = 'code']")
    try inspect("the field for the code on the sign-up page")

    let id = try visit.service.signUp("ana@example.com").execution()
    let mail = try visit.mail()
    let (confirm, unsubscribe) = (try mail.firstLink("confirm"), try mail.firstLink("unsubscribe"))

    try visit.open("/thanks/\(id)")
    try inspect("the field for the code")
    try browser.type("\(try mail.wrongCode())\u{E007}", into: "#code")
    try browser.until("the code is rejected") { try !browser.text("#code-status").isEmpty }
    try inspect("a wrong code")
    try visit.open(confirm)
    try inspect("the question")
    try visit.press(to: "Sie sind angemeldet")
    try inspect("the confirmation")
    try visit.open(confirm)
    try visit.waitForTitle("Sie sind schon angemeldet")
    try inspect("a second visit")
    try visit.open(unsubscribe)
    try inspect("the question before leaving")
    try browser.click("button")
    try browser.waitForElement(xpath: "//main[not(.//form[@method = 'post'])]")
    try inspect("the end of the subscription")
    try visit.open(confirm)
    try visit.waitForTitle("Dieser Link ist abgelaufen")
    try inspect("an expired link")
    try browser.click("button")
    try browser.waitForElement(xpath: "//main[not(.//button)]")
    try inspect("the request of a new link")
    try visit.open("/confirm/\(String(repeating: "A", count: 43))")
    try inspect("an unknown link")
    try visit.end()
  }
}
