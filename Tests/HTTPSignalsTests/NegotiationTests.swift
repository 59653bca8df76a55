import HTTPSignals
import HTTPTypes
import Testing

/// What a client would rather have (RFC 9110 §12).
@Suite struct NegotiationTests {
  private func request(_ fields: KeyValuePairs<String, String>) -> Request {
    var pairs = NameValuePairs()
    for (name, value) in fields {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { pairs.append(name: name, value: $0) }
      }
    }
    return Request(method: .get, path: "/", fields: pairs)
  }

  @Test(arguments: [
    ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
    ("*/*", false), ("", false), ("application/json", false), ("text/html", true),
    ("text/html;q=0.4, application/json;q=0.5", false), ("TEXT/HTML", true),
    ("text/*", true), ("text/html;q=0, */*", false), ("text/html;level=1;q=0.7, */*;q=0.1", true),
    ("application/*, text/html;q=0.9", false), ("text/html;q=2", false), ("text/html;q=x", false),
  ])
  func `a page is for those who would rather have one`(accept: String, isPage: Bool) {
    #expect(request(["Accept": accept]).prefersHTML == isPage)
    #expect(!request([:]).prefersHTML)
  }

  @Test(arguments: [
    ("de", "de"), ("de-CH, fr;q=0.9", "de"), ("fr;q=0.9, de;q=0.91", "de"), ("it, es", "es"),
    ("*", "en"), ("it", "en"), ("", "en"), ("zh-TW", "zh-Hans"), ("zh", "zh-Hans"),
    ("zh-Hans-CN", "zh-Hans"), ("DE", "de"), ("de;q=0", "en"), ("en;q=0.1, de;q=0.1", "en"),
  ])
  func `a language is looked up from the most special to the least`(
    accepted: String,
    language: String
  ) {
    let languages = ["en", "de", "fr", "es", "zh-Hans"]
    #expect(
      request(["Accept-Language": accepted]).preferredLanguage(of: languages) == language
    )
  }

  @Test func `a list of any length is read up to its thirty-second item`() {
    let list = QualityList([Array(repeating: "a", count: 10_000).joined(separator: ",")])
    #expect(list.items.count == 32)
  }
}
