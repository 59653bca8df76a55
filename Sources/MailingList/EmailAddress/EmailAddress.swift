/// An email address that was validated; there is no other way to have one.
///
/// What mail is sent to is ``normalized``; whether two people are one is decided by ``key``, on
/// bytes. An address never reaches a log, a URL or a public stream: its description hides it.
package struct EmailAddress: Hashable, Sendable {
  /// What was typed, without the white space around it.
  package let entered: String
  /// The address as it is stored and written to: ``local`` and ``asciiDomain``.
  package let normalized: String
  /// The comparison key and unique index.
  ///
  /// Two addresses that differ in letter case only have one.
  package let key: String
  /// Whether white space around it was taken off.
  let isTrimmed: Bool
  /// How many bytes of ``normalized`` are before the `@`.
  private let localLength: Int

  /// Made by ``init(validating:level:)`` alone.
  init(entered: String, normalized: String, localLength: Int, key: String, isTrimmed: Bool) {
    self.entered = entered
    self.normalized = normalized
    self.localLength = localLength
    self.key = key
    self.isTrimmed = isTrimmed
  }

  /// The part before the `@`, in the case in which it was typed; NFC.
  package var local: String { String(Substring(normalized.utf8.prefix(localLength))) }
  /// The part after the `@`, in lower case.
  package var asciiDomain: String {
    String(Substring(normalized.utf8.dropFirst(localLength + 1)))
  }
  /// Whether a mail server must know SMTPUTF8 (RFC 6531) to take mail for it.
  package var requiresSMTPUTF8: Bool { !local.utf8.allSatisfy { $0 < 0x80 } }
}

extension EmailAddress: CustomStringConvertible {
  /// The address for a reader who must not learn it: `a…@example.org`.
  package var description: String { "\(local.prefix(1))…@\(asciiDomain)" }
}
