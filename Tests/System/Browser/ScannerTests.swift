import TestSupport
import Testing

/// Tests of the programs that open the links of a mail before its reader does.
@Suite(.serialized)
struct ScannerTests {
  private static let address = "ana@example.com"

  /// A service with one sign-up, and the links of its mail.
  private struct Mailed {
    let service: Enlist
    let links: [String]
    private let consentCount: Int

    init(_ service: Enlist) throws {
      self.service = service
      try service.signUp(ScannerTests.address).expect(202)
      let mail = try service.mail(to: ScannerTests.address)
      links = [try mail.link("confirm"), try mail.link("unsubscribe")]
      consentCount = try service.storedCounts().consents
    }

    /// Expects that nothing has changed, and that both links still work.
    func expectNothingChanged() throws {
      let count = try service.storedCounts().consents
      #expect(count == consentCount)
      let mails = try service.mails()
      #expect(mails.count == 1)
      try expectState("pending")
      for (link, state) in zip(links, ["subscribed", "unsubscribed"]) {
        try service.post(link).expect(200)
        try expectState(state)
      }
    }

    private func expectState(_ state: String) throws {
      let people = try service.people()
      #expect(people == [ScannerTests.address: state])
    }
  }

  @Test func `requesting a link changes nothing, with whatever parameters`() throws {
    let mailed = try Mailed(try Enlist(.mail))
    for method in ["GET", "HEAD"] {
      for fields in [
        [], ["Purpose: prefetch"], ["Sec-Purpose: prefetch;prerender"],
        ["Accept: text/html", "User-Agent: Mozilla/5.0"], ["Range: bytes=0-99"],
        ["X-HTTP-Method-Override: POST"], ["Upgrade-Insecure-Requests: 1", "Sec-Fetch-User: ?1"],
      ] {
        for link in mailed.links {
          for query in [
            "", "?", "?utm_source=scan&confirm=1", "?_method=POST",
            "?url=https%3A%2F%2Fexample.org%2F",
          ] {
            try mailed.service.send(method, link + query, fields: fields).expect(200)
          }
        }
      }
    }
    try mailed.expectNothingChanged()
  }

  @Test(.needsBrowser)
  func `a page that loads a link ahead, as an image or as a frame changes nothing`() throws {
    let visit = try MailVisit()
    let mailed = try Mailed(visit.service)
    let site = try PageServer()
    for link in mailed.links.map(MailVisit.url) {
      site.page = """
        <!doctype html><title>A mail</title><link rel="prefetch" href="\(link)"><body>
        <img src="\(link)"><iframe src="\(link)"></iframe><a href="\(link)">Confirm</a>
        <script type="speculationrules">
        {"prefetch":[{"source":"list","urls":["\(link)"]}]}
        </script>
        """
      try visit.browser.open("http://127.0.0.1:\(site.port)/")
      var count = 0
      try eventually("a request of the link for each element") {
        count += try visit.browser.requestedURLs().count { $0 == link }
        return count >= 3
      }
    }
    try mailed.expectNothingChanged()
  }

  @Test(.needsBrowser)
  func `a program that runs scripts and sends events to every element changes nothing`() throws {
    let visit = try MailVisit()
    let mailed = try Mailed(visit.service)
    for link in mailed.links {
      try visit.open("\(link)?utm_source=scan")
      try visit.browser.evaluate(
        """
        for (const element of [window, document, ...document.querySelectorAll('*')])
          for (const name of ['load', 'focus', 'mouseover', 'pointerdown', 'touchstart', 'scroll'])
            element.dispatchEvent(new Event(name, { bubbles: true }))
        return new Promise(done => requestAnimationFrame(done))
        """
      )
      let url = try visit.browser.url()
      #expect(url == MailVisit.url("\(link)?utm_source=scan"))
    }
    try mailed.expectNothingChanged()
    try visit.end()
  }
}
