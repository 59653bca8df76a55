import TestSupport
import Testing

/// Tests of the pages that the links of mails lead to, in a real browser.
@Suite(.serialized, .needsBrowser)
struct LinkPageTests {
  @Test func `a person confirms, leaves, and returns with a new link, without JavaScript`() throws {
    let visit = try MailVisit([], Browser.Options(hasScript: false))
    let (service, browser) = (visit.service, visit.browser)
    try service.signUp("ana@example.com").expect(202)
    let mail = try service.mail(to: "ana@example.com")
    let (confirm, unsubscribe) = (try mail.link("confirm"), try mail.link("unsubscribe"))

    try visit.open(confirm)
    try browser.waitForText("Press the button, and News will be sent to you.", in: "p")
    try visit.expect(["ana@example.com": "pending"])
    try visit.press(to: "You are subscribed")
    try visit.expect(["ana@example.com": "subscribed"])
    try visit.open(confirm)
    try visit.waitForTitle("You are already subscribed")

    try visit.open(unsubscribe)
    try browser.waitForText("Press the button, and News will no longer be sent to you.", in: "p")
    try visit.expect(["ana@example.com": "subscribed"])
    try visit.press(to: "You have left News")
    try visit.expect(["ana@example.com": "unsubscribed"])

    // The link is from before leaving.
    try visit.open(confirm)
    try visit.waitForTitle("This link has expired")
    try browser.click("button")
    try browser.waitForElement(
      xpath: "//p[. = 'If this address can be confirmed, a new link is on its way.']")
    try visit.expect(["ana@example.com": "unsubscribed"])
    let links = try service.mails(2).map { try $0.link("confirm") }
    let newLink = try #require(links.first { $0 != confirm })
    try visit.open(newLink)
    try visit.press(to: "You are subscribed")
    try visit.expect(["ana@example.com": "subscribed"])

    let others = try browser.requestedURLs().filter { !$0.hasPrefix(MailVisit.url("/")) }
    #expect(others.isEmpty, "the pages send no requests to other sites")
    try visit.end()
  }

  @Test func `the pages of both links can be operated with the keyboard alone`() throws {
    let visit = try MailVisit()
    let browser = visit.browser
    try visit.service.signUp("ana@example.com").expect(202)
    let mail = try visit.service.mail(to: "ana@example.com")
    for (link, button, state) in [
      ("confirm", "Confirm subscription", "subscribed"),
      ("unsubscribe", "Unsubscribe", "unsubscribed"),
    ] {
      try visit.open(try mail.link(link))
      // The name of the list is a link, too.
      try browser.press("\u{E004}\u{E004}")
      try browser.expect("document.activeElement.textContent", button)
      try browser.press("\u{E007}")
      // The next page has no button, or one that leads to the sign-up page.
      try browser.waitForElement(xpath: "//main[not(.//form[@method = 'post'])]")
      try visit.expect(["ana@example.com": state])
    }
    try visit.end()
  }

  @Test func `every page after a sign-up passes axe, fits the window, and does not move`() throws {
    let visit = try MailVisit(
      ["--list-name", "Donaudampfschifffahrtsgesellschaftskapitänsmützen"],
      Browser.Options(language: "de"))
    for width in [1280, 320] {
      for isDark in [false, true] {
        try visit.browser.change(
          to: Browser.Options(width: width, isDark: isDark, reducesMotion: true))
        try inspectPages(visit, "\(width)-\(isDark ? "dark" : "light")")
      }
    }
  }

  private func inspectPages(_ visit: MailVisit, _ look: String) throws {
    let browser = visit.browser
    func inspect(_ page: String) throws {
      try browser.expectAccessible("\(page), \(look)")
      #expect(try browser.isStill(), "\(page), \(look)")
    }
    try visit.open("/")
    try browser.type("ben-\(look)@example.com", into: "#email")
    try browser.click("#subscribe")
    try browser.waitForElement(xpath: "//input[@name = 'code']")
    try inspect("the field for the code on the sign-up page")

    let address = "ana-\(look)@example.com"
    let id = try visit.service.signUp(address).expect(202).execution
    let mail = try visit.service.mail(to: address)
    let (confirm, unsubscribe) = (try mail.link("confirm"), try mail.link("unsubscribe"))

    try visit.open("/thanks/\(id)")
    try inspect("the field for the code")
    try browser.type("\(mail.wrongCode)\u{E007}", into: "#code")
    try eventually("the rejection of the code") { try !browser.text("#code-status").isEmpty }
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
