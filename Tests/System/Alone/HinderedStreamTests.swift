import Foundation
import TestSupport
import Testing

/// Tests of forms behind a proxy that lets sign-ups pass, but not their event streams.
@Suite(
  .serialized,
  .needsBrowser,
  .enabled(if: Child.finds("nginx"), "nginx is not installed: Scripts/bootstrap all"))
struct HinderedStreamTests {
  /// What nginx does with a stream; ``silent`` connects it to a server that never responds.
  private static let hindrances = [
    "return 403;", "return 404;", "return 429;", "return 502;", "return 503;", "return 524;",
    "return 204;", "return 302 http://127.0.0.1:1/;",
    // The connection ends, before a response and after its head.
    "return 444;", "default_type text/event-stream; return 200 ': ok\\n\\n';",
    // A page to log in to a network, and a filter that takes the name of the type away.
    "default_type text/html; return 200 'Log in';", "default_type text/plain; return 200 ': ok';",
    silent,
  ]
  private static let silent = "proxy_pass http://127.0.0.1:SILENT;"
  private static let intro = "Check your email and press the button there, or type the code:"

  /// A server whose connections are accepted by the system, and by nobody else.
  private let deaf: LocalListener

  init() throws {
    deaf = try LocalListener()
  }

  private func streams(_ hindrance: String) -> String {
    hindrance.replacing("SILENT", with: "\(deaf.port)")
  }

  /// Makes the page measure the time from the click to the thanks.
  private func measure(_ browser: Browser) throws {
    try browser.evaluate(
      """
      addEventListener('click', () => window.pressedAt = performance.now(), true)
      addEventListener('enlist:completed', () => window.thankedAt = performance.now())
      """
    )
  }

  private func expectThanksInTime(_ browser: Browser) throws {
    let time = try #require(try browser.evaluate("return thankedAt - pressedAt") as? Double)
    #expect(time < 5_000)
  }

  @Test(arguments: hindrances)
  func `a form says Thanks within five seconds, and takes the code, whatever its streams meet`(
    hindrance: String
  ) throws {
    let form = try EmbeddedForm(EmbeddedForm.html(""), streams: streams(hindrance))
    try measure(form.browser)
    try form.submit()
    try form.waitForText("Thanks")
    try expectThanksInTime(form.browser)
    try form.waitForText(Self.intro, in: "form + form label")
    try form.browser.type(
      form.service.mail(to: "ana@example.com").code + "\u{E007}", into: "form + form input")
    try form.waitForText("Confirmed ✓", in: "form + form [role=status]")
    let events = try form.events()
    #expect(events == ["started", "completed", "confirmed"])
    try form.visit.expect(["ana@example.com": "subscribed"])
  }

  @Test func `a browser without event streams needs none`() throws {
    let form = try EmbeddedForm(
      "<script>delete window.EventSource</script>" + EmbeddedForm.html(""))
    try form.submit()
    try form.waitForText("Thanks")
    try form.waitForText(Self.intro, in: "form + form label")
    try form.browser.type(
      form.service.mail(to: "ana@example.com").code + "\u{E007}", into: "form + form input")
    try form.waitForText("Confirmed ✓", in: "form + form [role=status]")
    let events = try form.events()
    #expect(events == ["started", "completed", "confirmed"])
    try form.visit.end()
  }

  @Test(arguments: ["return 502;", silent])
  func `the service's own page and single opt-in need no stream either`(hindrance: String) throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html(""), ["--opt-in", "single"], streams: streams(hindrance))
    for page in [try form.browser.url(), MailVisit.url("/")] {
      try form.browser.open(page)
      try measure(form.browser)
      try form.submit("ana@example.com")
      try form.waitForText("Thanks")
      try expectThanksInTime(form.browser)
    }
  }

  @Test func `the page of a plain form says Thanks without a stream`() throws {
    let visit = try MailVisit(["--database-timeout", "20s"], streams: "return 502;")
    let lock = try StolenLock(of: visit.service)
    let id = try visit.service.signUp("ana@example.com", fields: ["Prefer: respond-async"])
      .execution
    try visit.open("/thanks/\(id)")
    let title = try visit.browser.text("h1")
    #expect(title == "Sending request...")
    try lock.giveBack()
    try visit.waitForTitle("Thanks")
  }

  @Test func `a sign-up that failed is not thanked for, without a stream as with one`() throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html(""), ["--database-timeout", "0s"], streams: "return 502;")
    let lock = try StolenLock(of: form.service)
    try form.submit()
    try form.waitForText("Error :(")
    let events = try form.events()
    #expect(events == ["started", "failed"])
    try lock.giveBack()
  }

  @Test(arguments: [403, 404, 502, 503])
  func `the tab says Confirmed although a reconnect was rejected once`(status: Int) throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html(""),
      ["--stream-lifetime", "1s..1s"],
      streams: """
        if (-f broken) { return \(status); }
        proxy_pass http://127.0.0.1:SERVICE; proxy_http_version 1.1;
        """
    )
    try form.submit()
    try form.waitForText(Self.intro, in: "form + form label")
    let link = MailVisit.url(try form.service.mail(to: "ana@example.com").link("confirm"))
    _ = try form.browser.console()
    try form.service.folder.write("", to: "broken")
    var console: [String] = []
    try eventually("a reconnect is rejected") {
      console += try form.browser.console()
      return console.contains { $0.contains("ERR_FAILED") }
    }
    try FileManager.default.removeItem(atPath: form.service.folder("broken"))
    try form.browser.inAnotherTab(link) { try form.visit.press(to: "You are subscribed") }
    try form.waitForText("Confirmed ✓", in: "form + form [role=status]")
    let events = try form.events()
    #expect(events == ["started", "completed", "confirmed"])
  }

  @Test func `a tab stops asking if no confirmation is reported`() throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html(""), ["--confirmed-event", "off"],
      streams: "proxy_pass http://127.0.0.1:SERVICE; proxy_http_version 1.1;")
    try form.submit()
    try form.waitForText(Self.intro, in: "form + form label")
    // The stream ends, its reconnect gets 204, and so does the request for its status.
    var heads: [String] = []
    try eventually("the tab has asked for the end") {
      heads += try form.browser.requestedURLs().filter { $0.contains("last_event_id=") }
      return heads.count >= 1
    }
    #expect(heads.count == 1)
  }
}
