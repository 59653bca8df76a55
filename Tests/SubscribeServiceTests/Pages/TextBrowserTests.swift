import HTTPSignals
import HTTPTypes
import MailingList
import Security
import Services
import TestSupport
import Testing

/// Browsers without scripts, which do not weight HTML above other types.
@Suite struct TextBrowserTests {
  /// The fields that a browser sends with a form.
  struct TextBrowser: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fields: KeyValuePairs<String, String>
  }

  private static let browsers = [
    TextBrowser(
      testDescription: "w3m",
      fields: [
        "Accept": "text/html, text/*;q=0.5, image/*, application/*", "Accept-Language": "en;q=1.0",
      ]
    ),
    TextBrowser(
      testDescription: "Links", fields: ["Accept": "*/*", "Accept-Language": "en,*;q=0.1"]),
    TextBrowser(
      testDescription: "edbrowse",
      fields: ["Accept": "*/*", "Host": "list.example", "Referer": "https://list.example/"]),
  ]

  private static let email = "ada@example.org"
  private let service = DoubleOptInService()

  private func submit(_ path: String, _ body: String = "", _ browser: TextBrowser) -> TestResponse {
    var fields = FieldList(browser.fields)
    fields.append("Content-Type", "application/x-www-form-urlencoded")
    return service.service.send(
      Request(method: .post, path: path, fields: fields, body: Array(body.utf8)))
  }

  @Test(arguments: browsers)
  func `a text browser gets a page after every form`(browser: TextBrowser) throws {
    let signUp = submit("/subscribers", "email=ada%40example.org", browser)
    #expect(signUp.status == 303)
    let id = try #require(signUp["Location"]?.dropFirst("/thanks/".count))
    let mail = service.members.mail(Self.email, at: service.clock.now)
    service.clock.advance(milliseconds: 1)
    let wrong = mail.code.digits == "000000" ? "000001" : "000000"
    let token = String(repeating: "A", count: 43)
    for (path, body, status) in [
      ("/subscribers", "email=nobody", 422), ("/executions/\(id)/code", "code=\(wrong)", 422),
      ("/executions/\(id)/code", "code=\(mail.code.digits)", 200),
      ("/confirm/\(mail.confirm.text)", "", 200), ("/confirm/\(token)", "", 404),
      ("/unsubscribe/\(mail.unsubscribe.text)", "", 200), ("/unsubscribe/\(token)", "", 404),
      ("/confirm/\(mail.confirm.text)/mail", "", 200), ("/confirm/\(mail.confirm.text)", "", 410),
      ("/none", "", 404),
    ] {
      let page = submit(path, body, browser)
      #expect(page.status == status, "\(path)")
      #expect(page["Content-Type"] == "text/html; charset=utf-8", "\(path)")
    }
  }

  @Test(arguments: browsers, ["/confirm/", "/unsubscribe/"])
  func `a text browser gets a page for a wrong link, and a program JSON`(
    browser: TextBrowser, path: String
  ) {
    for token in [String(repeating: "A", count: 43), "x", ""] {
      let fields = FieldList(browser.fields)
      let page = service.service.send(Request(method: .get, path: path + token, fields: fields))
      #expect(page.status == 404)
      if !token.isEmpty { #expect(page["Content-Type"] == "text/html; charset=utf-8") }
      #expect(service.send(.get, path + token, isBrowser: false).problem == "not-found")
    }
  }
}
