/// The keys for mail, derived once, and the tokens, codes and hashes that they derive.
///
/// ```swift
/// let keys = MailKeys(Keyring(Secret()))
/// let link = "https://list.example.org/confirm/\(keys.token(.confirm, ofMail: id).text)"
/// ```
package struct MailKeys: Sendable {
  private let token: DerivedKey
  private let code: DerivedKey
  private let messageID: DerivedKey
  private let mailbox: DerivedKey
  private let suppressions: [DerivedKey]
  private let subscriber: DerivedKey
  private let subscribers: [DerivedKey]

  package init(_ keyring: Keyring) {
    token = keyring.key(for: .token)
    code = keyring.key(for: .code)
    messageID = keyring.key(for: .messageID)
    mailbox = keyring.key(for: .mailbox)
    suppressions = keyring.keys(for: .suppression)
    subscriber = keyring.key(for: .subscriber)
    subscribers = keyring.keys(for: .subscriber)
  }

  /// Returns a token of a mail, given the bytes of the mail's id.
  package func token(_ purpose: MailToken.Purpose, ofMail mail: [UInt8]) -> MailToken {
    MailToken(purpose, ofMail: mail, key: token)
  }

  /// Returns the token of a subscriber's link to leave, which is valid as long as the secret.
  package func token(of subscriber: SubscriberReference) -> MailToken {
    subscriber.token(key: self.subscriber)
  }

  /// Returns the subscriber of a link from an export; `nil` for another token.
  package func subscriber(of token: MailToken) -> SubscriberReference? {
    subscribers.lazy.compactMap { SubscriberReference(token, key: $0) }.first
  }

  /// Returns the code of a mail, given the bytes of the mail's id.
  package func code(ofMail mail: [UInt8]) -> ConfirmationCode {
    ConfirmationCode(ofMail: mail, key: code)
  }

  /// Returns the keyed hash of a code for one subscriber, 32 bytes, as stored.
  package func hash(of code: ConfirmationCode, for subscriber: Int64) -> [UInt8] {
    code.hash(for: subscriber, key: self.code)
  }

  /// Compares a typed code with a stored hash in a time that depends on neither.
  package func matches(_ code: ConfirmationCode, hash: [UInt8], of subscriber: Int64) -> Bool {
    code.matches(hash, for: subscriber, key: self.code)
  }

  /// Returns the Message-ID of a mail, without its domain, given the bytes of the mail's id.
  package func messageID(ofMail mail: [UInt8]) -> MessageID {
    MessageID(ofMail: mail, key: messageID)
  }

  /// Returns the keyed hash of a mailbox, by which its mails are counted: 32 bytes, and one more
  /// with a subaddress.
  package func mailbox(_ canonicalKey: String, hasSubaddress: Bool) -> [UInt8] {
    let mac = mailbox.mac(of: canonicalKey)
    return hasSubaddress ? mac + [UInt8(ascii: "+")] : mac
  }

  /// Returns the keyed hash of a domain, by which the mails to it are counted.
  ///
  /// It is never that of a mailbox, which has a local part.
  package func domain(_ domain: String) -> [UInt8] { mailbox.mac(of: "@\(domain)") }

  /// Returns the keyed hashes by which the suppression of an address is found, one for each secret.
  ///
  /// A new suppression is stored with the first.
  package func suppressions(_ addressKey: String) -> [[UInt8]] {
    suppressions.map { $0.mac(of: addressKey) }
  }
}
