import TestSupport
import Testing

/// Tests of the name of the list on pages.
@Suite struct ListNameTests {
  @Test func `the name of the list is on every page and in its title, escaped`() throws {
    let flags = RunningService.mailFlags.map { $0 == "News" ? "Herbs & <Roses>" : $0 }
    let service = try RunningService(flags)
    let accept = ["Accept: text/html"]
    let form = accept + ["Content-Type: application/x-www-form-urlencoded"]
    let id = try service.signUp("ana@example.com").execution()
    let mail = try #require(try service.waitForMails(1).first)
    let (confirm, leave) = (try mail.firstLink("confirm"), try mail.firstLink("unsubscribe"))
    var pages = try [
      "/", "/thanks/\(id)", confirm, leave, "/problems/not-found", "/none",
      "/confirm/\(String(repeating: "A", count: 43))",
    ].map { try service.request("GET", $0, fields: accept) }
    pages.append(try service.request("POST", "/subscribers", fields: form, body: "email=ana"))
    pages.append(
      try service.request("POST", "/executions/\(id)/code", fields: form, body: "code=1"))
    pages.append(try service.request("POST", confirm, fields: accept, body: ""))
    pages.append(try service.request("POST", leave, fields: accept, body: ""))
    #expect(Set(pages.map(\.status)) == [200, 404, 422])
    for page in pages {
      #expect(page.text.contains(" · Herbs &amp; &lt;Roses&gt;</title>"), "\(page.text)")
      #expect(
        page.text.contains("<header><a href=\"/\">Herbs &amp; &lt;Roses&gt;</a></header>")
          || page.text.contains("<h1>Herbs &amp; &lt;Roses&gt;</h1>"),
        "\(page.text)"
      )
    }
    let without = try RunningService()
    #expect(
      try without.request("GET", "/", fields: accept).text.contains("<title>Subscribe</title>"))
    #expect(try !without.request("GET", "/", fields: accept).text.contains("<header>"))
  }
}
