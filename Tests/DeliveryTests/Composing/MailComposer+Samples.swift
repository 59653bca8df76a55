import Delivery
import EmailAddresses
import MailingList
import Security
import Testing

extension MailIdentity {
  /// Makes the identity of a sample list.
  static func sample(
    from: String = "news@example.org", listName: String = "Garden Letters",
    publicURL: String = "https://list.example.org",
    footer: String = "Garden Letters\n1 Garden Street, Springfield", sendsCode: Bool = true
  ) throws -> MailIdentity {
    MailIdentity(
      from: try #require(Mailbox(from)), profile: ListProfile(name: listName), publicURL: publicURL,
      footer: footer, sendsCode: sendsCode)
  }

  /// Names of lists that look like something else to a parser, a template or a mail program.
  static let hostileListNames = [
    "Garden & <Letters>", "\"Garden\" \\ Letters", "Gärten", "园艺通讯", "=?UTF-8?B?R2FyZGVu?=",
    "{{code}}", "{{#code}}", "{list}", "Letters, The", "a@b", "Gärten & Wiesen \"2026\"",
    String(repeating: "x", count: 200), "Ü" + String(repeating: "ñ", count: 90),
  ]
}

extension MailKeys {
  /// Makes the same keys each time.
  static func sample() throws -> MailKeys {
    MailKeys(Keyring(try #require(Secret(bytes: Array(0..<32)))))
  }
}

extension MailComposer {
  /// Makes a composer with the service's own templates.
  static func sample(
    _ identity: MailIdentity? = nil, templates directory: String? = nil
  ) throws -> MailComposer {
    try MailComposer(try identity ?? .sample(), MailTemplates(directory: directory), .sample())
  }
}

extension ClaimedMail {
  /// Makes the same mail each time.
  static func golden(
    _ kind: MailKind = .confirm, to address: String = "ada@example.org", locale: String? = nil
  ) throws -> ClaimedMail {
    ClaimedMail(
      id: try #require(MailID(bytes: Array<UInt8>(100..<122))), kind: kind, subscriberID: 7,
      consentID: try #require(ExecutionID(bytes: Array<UInt8>(0..<22))),
      recipient: try EmailAddress(validating: address), locale: locale, createdAt: .sample,
      grantedAt: .sample, isFirstGrant: true, attempts: 0,
      leasedUntil: .sample.adding(.seconds(180)))
  }
}

extension Timestamp {
  /// 2026-11-22T08:00:00Z, a Sunday.
  static let sample = Timestamp(millisecondsSince1970: 1_795_334_400_000)
}

extension MailMessage {
  /// The message as text.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The lines, without CRLF.
  var lines: [String] {
    text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
  }
}
