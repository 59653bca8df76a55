import MailingList
import Testing

/// Who is taken for one person, and what an SMTP server is told.
@Suite struct EmailKeysTests {
  @Test(arguments: [
    ("Ana.Lee+news@GMail.com", "analee@gmail.com"),
    ("analee@googlemail.com", "analee@gmail.com"),
    ("ana+list@example.com", "ana@example.com"),
    ("+list@example.com", "+list@example.com"),
    ("a.n-a_x@pm.me", "anax@proton.me"),
    ("ana@protonmail.com", "ana@proton.me"),
    ("ana@mac.com", "ana@icloud.com"),
    ("ana-lee@ya.ru", "ana.lee@yandex.ru"),
    ("ana.lee@yandex.com", "ana.lee@yandex.ru"),
    ("ana-shop@yahoo.co.uk", "ana@yahoo.co.uk"),
    ("-shop@yahoo.com", "-shop@yahoo.com"),
    ("a.na@example.com", "a.na@example.com"),
  ])
  func `the canonical key leaves out what providers ignore`(typed: String, key: String) throws {
    #expect(try EmailAddress.judge(typed).canonicalKey == key)
  }

  @Test(arguments: [
    ("a..b@docomo.ne.jp", "\"a..b\"@docomo.ne.jp"),
    ("ab.@ezweb.ne.jp", "\"ab.\"@ezweb.ne.jp"),
    ("a.b@docomo.ne.jp", "a.b@docomo.ne.jp"),
    ("ana@example.com", "ana@example.com"),
  ])
  func `only what is no dot-atom is quoted for SMTP`(typed: String, mailbox: String) throws {
    #expect(try EmailAddress.judge(typed).smtpMailbox == mailbox)
  }

  @Test(
    arguments: [
      ("ana@example.com", []),
      (" ana@example.com", [.trimmed]),
      ("-ana@example.com", [.leadingHyphen]),
      ("a%b@example.com", [.routingCharacter]),
      ("a!b@example.com", [.routingCharacter]),
      ("\u{430}na@example.com", [.mixedScriptLocal]),
      ("\u{430}\u{43D}\u{430}@example.com", []),
      ("ana@\u{2764}.ws", [.emojiDomain]),
      ("a..b@docomo.ne.jp", [.legacyDots]),
      ("ana@gmial.com", [.typo]),
      ("Info@example.com", [.roleName]),
      ("\tinfo@gmal.com", [.trimmed, .typo, .roleName]),
    ] as [(String, [EmailWarning])]
  )
  func `warns of what is unusual and accepted`(typed: String, warnings: [EmailWarning]) throws {
    #expect(try EmailAddress.judge(typed).warnings == warnings)
  }

  @Test(arguments: [
    ("ana@example..com", 12), ("ana@.example.com", 4), ("ana@example.com.", 15),
    ("ana@-example.com", 4), ("ana@example-.com", 11), ("ana@b\u{FC}cher..de", 12),
    ("ana@a." + String(repeating: "b", count: 64) + ".com", 6), ("ana@example.c", 12),
    ("ana@example.test", 12), ("  ana@exa_mple.com", 9), ("a..b@example.com", 2),
    ("ana@\u{430}pple.com", 4), ("ana@x.\u{2044}.com", 6),
  ])
  func `a refusal says at which octet`(typed: String, offset: Int) {
    #expect(throws: EmailRefusal.self) {
      do throws(EmailRefusal) {
        _ = try EmailAddress.judge(typed)
      } catch {
        #expect(error.offset == offset, "\(error.reason)")
        throw error
      }
    }
  }
}
