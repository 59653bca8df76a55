import HTTPSignals
import HTTPTypes
import Testing

/// The preferences of a client, read from its header fields (RFC 9110 §12).
@Suite struct NegotiationTests {
  private func request(_ fields: KeyValuePairs<String, String>) -> Request {
    var pairs = FieldList()
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
  func `a client prefers HTML only if it weights HTML above JSON`(accept: String, isPage: Bool) {
    #expect(request(["Accept": accept]).prefersHTML == isPage)
    #expect(!request([:]).prefersHTML)
  }

  @Test(arguments: [
    ("de", "de"), ("de-CH, fr;q=0.9", "de"), ("fr;q=0.9, de;q=0.91", "de"), ("it, es", "es"),
    ("*", "en"), ("it", "en"), ("", "en"), ("zh-TW", "zh-Hans"), ("zh", "zh-Hans"),
    ("zh-Hans-CN", "zh-Hans"), ("DE", "de"), ("de;q=0", "en"), ("en;q=0.1, de;q=0.1", "en"),
  ])
  func `selects the language with the highest weight that is available`(
    accepted: String,
    language: String
  ) {
    let languages = ["en", "de", "fr", "es", "zh-Hans"]
    #expect(
      request(["Accept-Language": accepted]).preferredLanguage(of: languages) == language
    )
  }

  @Test func `reads at most 32 items of a preference list`() {
    let list = QualityList([Array(repeating: "a", count: 10_000).joined(separator: ",")])
    #expect(list.items.count == 32)
  }

  @Test(
    arguments: [
      ("de-a-b-c-d-e-f-g", "de"), ("de-a-b-c-d-e-f-g-h", "en"),
      ("de-a-b-c-d-e-f-g-h, fr;q=0.1", "fr"),
      (Array(repeating: "a", count: 4000).joined(separator: "-") + ", de", "de"),
      (String(repeating: "a", count: 300) + ", de", "de"),
      ("fr;" + String(repeating: ";", count: 300) + ", de", "de"),
    ]
  )
  func `ignores language ranges with more than eight subtags`(
    accepted: String,
    language: String
  ) {
    let languages = ["en", "de", "fr", "es", "zh-Hans"]
    #expect(
      request(["Accept-Language": accepted]).preferredLanguage(of: languages) == language
    )
  }

  @Test(
    arguments: [
      ("text/event-stream", true), ("Text/Event-Stream;q=0.5", true),
      ("text/html, text/event-stream ", true), ("text/html,\ttext/event-stream\t;q=1", true),
      ("text/event-streams", false), ("text/event-stream x", false), ("xtext/event-stream", false),
      ("text/*", false), ("", false), (",", false),
      (String(repeating: ",", count: 32) + "text/event-stream", false),
    ]
  )
  func `finds a list member regardless of its case and parameters`(
    accept: String,
    isFound: Bool
  ) {
    #expect(request(["Accept": accept]).fields.acceptsEvents == isFound)
    #expect(request(["Accept": "a", "accept": accept]).fields.acceptsEvents == isFound)
    #expect(!request(["Accept-Language": accept]).fields.acceptsEvents)
  }

  @Test func `accepts exactly the token characters of RFC 9110 in field names`() {
    let allowed = Set("!#$%&'*+-.^_`|~0123456789".utf8)
    for byte in UInt8.min ... .max {
      let isLetter = (0x41...0x5A).contains(byte & 0xDF) && byte < 0x80
      var pairs = FieldList()
      withUnsafeBytes(of: byte) { pairs.append(name: $0, value: $0) }
      #expect(pairs.namesAreTokens == (isLetter || allowed.contains(byte)), "\(byte)")
    }
  }
}
