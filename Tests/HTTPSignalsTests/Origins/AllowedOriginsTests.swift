import HTTPSignals
import Testing

@Suite struct AllowedOriginsTests {
  @Test(
    arguments: [
      ("https://www.example.org/", ["https://www.example.org"]),
      (
        "https://a.example/, http://b.example:8080/",
        ["https://a.example", "http://b.example:8080"]
      ),
      ("https://*.example.org/", ["https://*.example.org"]),
    ]
  )
  func `an origin with an empty path is that origin`(_ text: String, _ sources: [String]) throws {
    let origins = try #require(AllowedOrigins(text))
    #expect(origins.sources == sources)
  }

  @Test(
    arguments: [
      "https://www.example.org//", "https://www.example.org/form", "https://www.example.org/?",
      "https://www.example.org?/", "https://", "https:///", "/", "",
    ]
  )
  func `an origin with a path, a query or no host is rejected`(_ text: String) {
    #expect(AllowedOrigins(text) == nil)
  }

  @Test func `an Origin field has no path`() {
    #expect(WebOrigin("https://www.example.org/") == nil)
  }
}
