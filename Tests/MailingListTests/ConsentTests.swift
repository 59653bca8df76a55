import MailingList
import Testing

@Suite struct ConsentTests {
  @Test(arguments: [
    ("https://example.org/form", "https://example.org/form"),
    ("https://example.org:8443/a/b?mail=ana@example.com#top", "https://example.org:8443/a/b"),
    ("https://example.org/form#mail=ana@example.com?x", "https://example.org/form"),
    ("https://example.org/form?\u{301}token", "https://example.org/form"),
    ("https://user:secret@example.org/form", "https://example.org/form"),
    ("https://a@b@example.org", "https://example.org"),
    ("https://example.org/@user", "https://example.org/@user"),
    ("https://example.org?x", "https://example.org"),
    ("/form?x", "/form"),
    ("?x", ""),
    ("", ""),
    ("://", "://"),
    ("://@", "://"),
  ])
  func `keeps scheme, host and path of the page only`(url: String, kept: String) {
    #expect(Consent(sourceURL: url).sourceURL == kept)
  }
}
