package import EmailAddresses

/// An address with an optional name, as in `From` and `To` (RFC 5322 §3.4).
package struct Mailbox: Hashable, Sendable {
  /// The maximum number of bytes of a name.
  package static let maximumNameBytes = 200

  /// The name, without controls.
  package let name: String?
  package let address: EmailAddress

  /// Creates a mailbox without a name.
  package init(_ address: EmailAddress) {
    name = nil
    self.address = address
  }

  /// Creates a mailbox with a name; `nil` unless the name has 1 to ``maximumNameBytes`` bytes and
  /// no controls.
  package init?(name: String, address: EmailAddress) {
    guard 1...Self.maximumNameBytes ~= name.utf8.count else { return nil }
    guard !name.unicodeScalars.contains(where: \.isControl) else { return nil }
    self.name = name
    self.address = address
  }

  /// Parses a setting, `ADDRESS` or `NAME <ADDRESS>`; `nil` if it is invalid.
  ///
  /// The address must be ASCII, so that every relay accepts it.
  package init?(_ text: String) {
    guard text.utf8.last == UInt8(ascii: ">") else {
      guard let address = Self.address(text) else { return nil }
      self.init(address)
      return
    }
    guard let start = text.lastIndex(of: "<") else { return nil }
    let inner = text[text.index(after: start)...].dropLast()
    guard let address = Self.address(String(inner)) else { return nil }
    let name = text[..<start].drop { $0 == " " }
    guard let end = name.lastIndex(where: { $0 != " " }) else {
      self.init(address)
      return
    }
    self.init(name: String(name[...end]), address: address)
  }

  /// Returns the mailbox with the given name if it lacks one and the given name is valid, otherwise
  /// unchanged.
  package func named(_ name: String) -> Mailbox {
    self.name == nil ? Mailbox(name: name, address: address) ?? self : self
  }

  private static func address(_ text: String) -> EmailAddress? {
    let address = try? EmailAddress(validating: text, level: .test)
    return address?.requiresSMTPUTF8 == false ? address : nil
  }
}

extension Unicode.Scalar {
  /// Whether this scalar is a control, or a line or paragraph separator.
  var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
