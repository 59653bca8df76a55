import HTTPSignals
import MailingList
import Services
import TestSupport
import Testing

/// The parts of a request that are kept as proof of consent.
@Suite struct ConsentTests {
  private let service = ServiceUnderTest()

  private func consent(_ fields: KeyValuePairs<String, String>) throws -> Consent {
    let body = Array(#"{"email":"ada@example.org"}"#.utf8)
    let request = Request.post(body, as: "application/json", fields: fields)
    #expect(service.send(request).status == 202)
    return try #require(service.store.signUps.last?.consent)
  }

  @Test(
    arguments: [
      ("https://site.example/news/?email=ada%40example.org", "https://site.example/news/"),
      ("https://site.example/news#token", "https://site.example/news"),
      ("https://site.example/#?x", "https://site.example/"),
      ("https://site.example?x", "https://site.example"),
      ("https://ada:secret@site.example/news", "https://site.example/news"),
      ("https://ada@b@site.example/news?q", "https://site.example/news"),
      ("https://ada:secret@site.example", "https://site.example"),
      ("https://site.example:8443/@ada", "https://site.example:8443/@ada"),
      ("android-app://org.example.app/", "android-app://org.example.app/"),
      ("http://[::1]:8080/a", "http://[::1]:8080/a"),
      ("about:blank", nil), ("/news?x=1", nil), ("site.example/news", nil), ("", nil),
      ("?https://site.example/", nil), ("mailto:ada@example.org", nil),
    ] as [(String, String?)]
  )
  func `a consent keeps only the scheme, host and path of the page`(
    referer: String, kept: String?
  )
    throws
  {
    #expect(try consent(["Referer": referer]).sourceURL == kept)
  }

  @Test func `null is no text, language or page`() throws {
    let body = #"{"email":"ada@example.org","consent":null,"locale":null,"next":null}"#
    #expect(service.post(body).status == 202)
    let consent = try #require(service.store.signUps.last?.consent)
    #expect([consent.text, consent.locale, consent.next] == [nil, nil, nil])
  }

  @Test
  func `a consent truncates the page to 1,024 bytes and the user agent to 256, between characters`()
    throws
  {
    let page = "https://site.example/"
    let padding = String(repeating: "a", count: 1024 - page.utf8.count)
    let long = try consent([
      "Referer": page + padding + "b", "User-Agent": String(repeating: "é", count: 200),
    ])
    #expect(long.sourceURL == page + padding)
    #expect(long.userAgent == String(repeating: "é", count: 128))
    let split = try consent([
      "Referer": page + padding.dropLast() + "é",
      "User-Agent": "a" + String(repeating: "😀", count: 64),
    ])
    #expect(split.sourceURL == page + padding.dropLast())
    #expect(split.userAgent == "a" + String(repeating: "😀", count: 63))
    let whole = try consent([
      "Referer": page + padding, "User-Agent": String(repeating: "x", count: 256),
    ])
    #expect(whole.sourceURL == page + padding)
    #expect(whole.userAgent == String(repeating: "x", count: 256))
  }

  @Test func `a consent drops a password that is longer than the kept text`() throws {
    let secret = String(repeating: "s", count: 4000)
    #expect(
      try consent(["Referer": "https://ada:\(secret)@site.example/a?\(secret)"]).sourceURL
        == "https://site.example/a"
    )
  }

  @Test func `a consent keeps only the beginning of an overlong origin`() throws {
    let origin = "https://" + String(repeating: "a", count: 5000)
    let kept = try consent(["Sec-Fetch-Site": "same-origin", "Origin": origin]).origin
    #expect(kept == String(origin.prefix(267)))
  }
}
