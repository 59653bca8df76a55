import EmailAddresses
import Testing

/// Tests of suggestions for mistyped addresses (email-validity, suggestions).
@Suite struct EmailSuggestionTests {
  @Test(arguments: [
    ("Ana <ana@example.com>", "ana@example.com"),
    ("<ana@example.com>", "ana@example.com"),
    ("mailto:ana@example,com", "ana@example.com"),
    ("ana@exam\u{200B}ple.com", "ana@example.com"),
    ("ana\u{FF20}example.com", "ana@example.com"),
    ("ana\u{FE6B}example.com", "ana@example.com"),
    ("\u{FF41}\u{FF4E}\u{FF41}@example.com", "ana@example.com"),
    ("ana@@example.com", "ana@example.com"),
    ("ana..lee@example.com", "ana.lee@example.com"),
    ("ana.@example.com", "ana@example.com"),
    ("ana@.example.com", "ana@example.com"),
    ("ana@example.com.", "ana@example.com"),
    ("ana@example.com,", "ana@example.com"),
    ("ana@example.com;", "ana@example.com"),
    ("ana@example,com", "ana@example.com"),
    ("\"ana\"@example.com", "ana@example.com"),
    ("ana@gmail", "ana@gmail.com"),
    ("ana@Hotmail", "ana@hotmail.com"),
    ("ana@@gmial.com", "ana@gmail.com"),
    ("\"Ana\" < ana@example.com >", "ana@example.com"),
    ("ana@example.com>", "ana@example.com"),
    ("Ana <mailto:ana@@example,com.>", "ana@example.com"),
    ("\"an\\a\"@example.com", "ana@example.com"),
    ("\u{202D}ana@example.com\u{FEFF}", "ana@example.com"),
    ("an\u{200D}a@example.com", "ana@example.com"),
    // An A-label would not be readable.
    ("ana@@b\u{FC}cher.de", "ana@b\u{FC}cher.de"),
    // The dots are valid; the comma is not.
    ("a..b@docomo.ne.jp,", "a..b@docomo.ne.jp"),
    // A joiner in a valid context is kept.
    (
      "\u{915}\u{94D}\u{200D}\u{937}\u{200B}@example.in", "\u{915}\u{94D}\u{200D}\u{937}@example.in"
    ),
  ])
  func `suggests a repaired address when the repair is valid`(typed: String, meant: String) {
    #expect(EmailSuggestion.forTyped(typed) == meant)
  }

  @Test(arguments: [
    "", " ", "ana", "ana@", "@example.com", "ana b@example.com", "ana@example.com\r\nBcc: x@y.org",
    "ana\u{0}@example.com", "ana\u{FFFD}@example.com", "ana@1.2.3.4", "ana@[1.2.3.4]",
    "ana@1.2.3.4.", "Ana <an a@example.com>", "\"an a\"@example.com", "\"ana", "<ana>",
    "ana(x)@example.com", "a@b@example.com", "a@xn--b.com",
    String(repeating: "<", count: 200), String(repeating: "@", count: 200),
    "ana@localhost", "ana@example.test", ".ana@example.com", "ana@-example.com",
    String(repeating: "a", count: 300) + "@gmial.com",
  ])
  func `suggests nothing when the intended address is unclear`(typed: String) {
    #expect(EmailSuggestion.forTyped(typed) == nil)
  }

  @Test(arguments: [
    ("ana@gmial.com", "ana@gmail.com"),
    ("ana@gmal.com", "ana@gmail.com"),
    ("ana@gmail.con", "ana@gmail.com"),
    ("ana@gmail.co", "ana@gmail.com"),
    ("ana@gamil.com", "ana@gmail.com"),
    ("Ana.Lee@hotmial.com", "Ana.Lee@hotmail.com"),
    ("ana@yahooo.com", "ana@yahoo.com"),
    ("ana@yahoo.cm", "ana@yahoo.com"),
    ("ana@outlok.com", "ana@outlook.com"),
    ("ana@iclould.com", "ana@icloud.com"),
    ("ana@hotmail.co.ukk", "ana@hotmail.co.uk"),
    ("ana@comcast.nte", "ana@comcast.net"),
    ("ana@company.con", "ana@company.com"),
    ("ana@company.cmo", "ana@company.com"),
    ("ana@company.ner", "ana@company.net"),
    ("ana@company.ogr", "ana@company.org"),
    ("ana@mail.company.vom", "ana@mail.company.com"),
  ])
  func `suggests a large provider's domain for a likely typo`(typed: String, meant: String) {
    #expect(EmailSuggestion.forTyped(typed) == meant)
    #expect(EmailAddress.isValid(typed), "a suggestion never changes the result")
  }

  @Test(arguments: [
    "gmail.com", "googlemail.com", "mail.com", "ymail.com", "gmx.com", "me.com", "email.com",
    "aon.com", "proton.me", "ab.com", "qq.com", "example.com", "company.co", "yahoo.dk",
    "yahoo.com.ar", "hotmail.co.nz", "outlook.cz", "live.se", "msn.nl", "gnu.org", "b\u{FC}cher.de",
    // Two edits away, with another first letter.
    "dmaul.com", "iutlok.com", "rotmial.com",
  ])
  func `suggests nothing for a domain that may be real`(domain: String) {
    #expect(EmailSuggestion.forTyped("ana@\(domain)") == nil)
  }
}
