import HTTPSignals
import HTTPTypes
import TestSupport
import Testing

/// The preferences of a client, read from its header fields (RFC 9110 §12).
@Suite struct NegotiationTests {
  private func request(
    _ fields: KeyValuePairs<String, String>, and more: KeyValuePairs<String, String> = [:]
  ) -> Request {
    var pairs = FieldList()
    let fields = Array(fields) + Array(more)
    let isForm = fields.contains { $0.key == "Content-Type" }
    for (name, value) in fields {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { pairs.append(name: name, value: $0) }
      }
    }
    return Request(method: isForm ? .post : .get, path: "/", fields: pairs)
  }

  @Test(arguments: [
    ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
    ("*/*", false), ("", false), ("application/json", false), ("text/html", true),
    ("text/html;q=0.4, application/json;q=0.5", false), ("TEXT/HTML", true),
    ("text/*", true), ("text/html;q=0, */*", false), ("text/html;level=1;q=0.7, */*;q=0.1", true),
    ("application/*, text/html;q=0.9", false), ("text/html;q=2", false), ("text/html;q=x", false),
  ])
  func `a client prefers HTML if it weights HTML above JSON`(accept: String, isPage: Bool) {
    #expect(request(["Accept": accept]).prefersHTML == isPage)
    #expect(!request([:]).prefersHTML)
  }

  @Test(arguments: [
    // w3m, and others that name HTML beside everything.
    ("text/html, text/*;q=0.5, image/*, application/*", true), ("text/html, */*", true),
    ("*/*, text/html", true), ("*/*;q=0.8, text/html;q=0.8", true),
    // axios, jQuery, and clients that accept neither.
    ("application/json, text/plain, */*", false), ("application/json, */*;q=0.8", false),
    ("text/html;q=0, application/json;q=0", false), ("image/*", false), ("text/*, */*", false),
  ])
  func `of types with the same weight, HTML has precedence if it is named`(
    accept: String, isPage: Bool
  ) {
    #expect(request(["Accept": accept]).prefersHTML == isPage)
  }

  @Test(
    arguments: [
      (["Accept-Language": "en"], true), (["Accept-Language": "de-AT, *;q=0.1"], true),
      (["Referer": "http://list.example:8080/"], true),
      (["Referer": "https://LIST.example:8080/thanks/x"], true),
      // Programs, such as curl, Node and Deno.
      ([:], false), (["Accept-Language": "*"], false), (["Accept-Language": "en;q=0"], false),
      (["Accept-Language": "en", "Sec-Fetch-Mode": "cors"], false),
      (["Referer": "http://other.example:8080/"], false),
      (["Referer": "http://list.example/"], false),
      // The script of a page.
      (["Accept-Language": "en", "Origin": "http://list.example:8080"], false),
    ] as [(KeyValuePairs<String, String>, Bool)]
  )
  func `a browser that accepts everything gets a page for its form`(
    fields: KeyValuePairs<String, String>, isPage: Bool
  ) {
    let form = "application/x-www-form-urlencoded"
    for type in [form, "Multipart/Form-Data; boundary=x", "\(form); charset=utf-8"] {
      let sent: KeyValuePairs = [
        "Host": "list.example:8080", "Accept": "*/*", "Content-Type": type,
      ]
      #expect(request(sent, and: fields).prefersHTML == isPage)
    }
    for type in ["application/json", "text/plain"] {
      #expect(!request(["Accept": "*/*", "Content-Type": type], and: fields).prefersHTML)
    }
    let link = request(["Host": "list.example:8080", "Accept": "*/*"], and: fields)
    #expect(!link.prefersHTML)
    #expect(link.prefersHTMLOfLink == isPage)
    #expect(!request(["Content-Type": form], and: fields).prefersHTML)
    #expect(
      !request(["Accept": "application/json", "Content-Type": form], and: fields).prefersHTML)
  }

  @Test(arguments: [
    ("de", "de"), ("de-CH, fr;q=0.9", "de"), ("fr;q=0.9, de;q=0.91", "de"), ("it, es", "es"),
    ("*", "en"), ("it", "en"), ("", "en"), ("zh-TW", "zh-Hans"), ("zh", "zh-Hans"),
    ("zh-Hans-CN", "zh-Hans"), ("DE", "de"), ("de;q=0", "en"), ("en;q=0.1, de;q=0.1", "en"),
  ])
  func `selects the language with the highest weight that is available`(
    accepted: String, language: String
  ) {
    let languages = ["en", "de", "fr", "es", "zh-Hans"]
    #expect(request(["Accept-Language": accepted]).preferredLanguage(of: languages) == language)
  }

  @Test(arguments: [
    ("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("zh-Hant-MO", "zh-Hant"), ("ZH-mo", "zh-Hant"),
    ("zh", "zh-Hans"), ("zh-CN", "zh-Hans"), ("zh-SG", "zh-Hans"), ("zh-Hans-HK", "zh-Hans"),
    ("sr", "sr"), ("sr-RS", "sr"), ("sr-ME", "sr-Latn"), ("sr-Latn-RS", "sr-Latn"),
    ("pa-PK", "pa-PK"), ("pa-Arab", "pa-PK"), ("pa-IN", "pa"), ("uz-AF", "uz"), ("az-IR", "en"),
  ])
  func `where a language has several scripts, that of the region decides`(
    accepted: String, language: String
  ) {
    let languages = ["en", "zh-Hans", "pa", "pa-PK", "sr", "sr-Latn", "uz", "zh-Hant"]
    #expect(request(["Accept-Language": accepted]).preferredLanguage(of: languages) == language)
    let regions = ["en", "zh-Hans", "zh-TW"]
    if language == "zh-Hant" {
      #expect(request(["Accept-Language": accepted]).preferredLanguage(of: regions) == "zh-TW")
    }
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
  func `ignores language ranges with more than eight subtags`(accepted: String, language: String) {
    let languages = ["en", "de", "fr", "es", "zh-Hans"]
    #expect(request(["Accept-Language": accepted]).preferredLanguage(of: languages) == language)
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
  func `finds a list member regardless of its case and parameters`(accept: String, isFound: Bool) {
    #expect(request(["Accept": accept]).fields.acceptsEvents == isFound)
    #expect(request(["Accept": "a", "accept": accept]).fields.acceptsEvents == isFound)
    #expect(!request(["Accept-Language": accept]).fields.acceptsEvents)
  }

  @Test(
    arguments: [
      (#""a1""#, true), (#"W/"a1""#, true), (#"  "x" , "a1" "#, true), ("*", true), (" *\t", true),
      (#""a1-gzip""#, true), (#"W/"a1-br""#, true), (#""x", "a1-zstd""#, true),
      (#""a1--gzip""#, true), (#""a1;gzip""#, true), (#""a1"-gzip"#, true),
      (#""a1-deflate""#, true),
      (#""a2""#, false), (#""a1-x""#, false), (#""a12-gzip""#, false), (#""a1gzip""#, false),
      (#""-gzip""#, false), ("a1", false), (#""a1"#, false), ("", false), ("**", false),
    ]
  )
  func `a tag is named although a proxy has made it weak or added its coding`(
    sent: String, isNamed: Bool
  ) {
    for field in ["If-Match", "If-None-Match"] {
      let name = HTTPField.Name(literal: field)
      #expect(request([field: sent]).names(#""a1""#, in: name) == isNamed)
    }
    #expect(!request(["If-Match": sent]).names(#""a1""#, in: .ifNoneMatch))
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
