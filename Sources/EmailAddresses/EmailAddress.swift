internal import Platform

/// A validated email address; every instance has passed validation.
///
/// Mail goes to ``normalized``. Two addresses are the same subscriber when the bytes of their
/// ``key`` are equal. An address never reaches a log, a URL or a public stream: its description
/// hides it.
package struct EmailAddress: Hashable, Sendable {
  /// The typed text without surrounding white space.
  package let entered: String
  /// The address that is stored and that mail is sent to: ``local``, `@` and ``asciiDomain``.
  package let normalized: String
  /// The comparison key, which is unique in the list.
  ///
  /// Addresses that differ only in letter case have the same key.
  package let key: String
  /// Whether surrounding white space was removed.
  let isTrimmed: Bool
  /// The number of bytes of ``normalized`` before the `@`.
  private let localLength: Int

  /// Called by ``init(validating:level:)`` only.
  init(entered: String, normalized: String, localLength: Int, key: String, isTrimmed: Bool) {
    self.entered = entered
    self.normalized = normalized
    self.localLength = localLength
    self.key = key
    self.isTrimmed = isTrimmed
  }

  /// The part before the `@`, in NFC, with its letter case preserved.
  package var local: String { String(Substring(normalized.utf8.prefix(localLength))) }
  /// The part after the `@`, in lowercase ASCII.
  package var asciiDomain: String {
    String(Substring(normalized.utf8.dropFirst(localLength + 1)))
  }
  /// Whether mail servers need SMTPUTF8 (RFC 6531) to accept mail for this address.
  package var requiresSMTPUTF8: Bool {
    // The domain is ASCII, so only the local part decides; a copy of it would allocate.
    !normalized.allBytes { $0 < 0x80 }
  }
}

extension EmailAddress: CustomStringConvertible {
  /// The abbreviated address, which does not disclose the mailbox: `a…@example.org`.
  package var description: String { "\(local.prefix(1))…@\(asciiDomain)" }
}
