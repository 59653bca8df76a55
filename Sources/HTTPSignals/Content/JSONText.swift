/// A JSON text that is being written, as octets.
///
/// Answers are small and flat, so they are written straight into the buffer that is sent.
package struct JSONText: Hashable, Sendable {
  /// What was written so far; UTF-8.
  package private(set) var octets: [UInt8] = []

  /// Makes an empty text.
  package init() {
    octets.reserveCapacity(256)
  }

  /// Writes an object.
  ///
  /// - Parameter members: Writes its members.
  package mutating func object(_ members: (inout JSONObject) -> Void) {
    var object = JSONObject(octets: octets)
    octets = []
    object.open()
    members(&object)
    object.close()
    octets = object.octets
  }
}

/// An object within a JSON text.
package struct JSONObject {
  fileprivate(set) var octets: [UInt8]
  private var isEmpty = true

  fileprivate init(octets: consuming [UInt8]) {
    self.octets = octets
  }

  fileprivate mutating func open() {
    octets.append(UInt8(ascii: "{"))
    isEmpty = true
  }

  fileprivate mutating func close() {
    octets.append(UInt8(ascii: "}"))
    isEmpty = false
  }

  /// Writes a member that is text, or `null`.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - value: Its text.
  package mutating func member(_ name: StaticString, _ value: String?) {
    self.name(name)
    if let value { text(value) } else { octets.append(contentsOf: "null".utf8) }
  }

  /// Writes a member that is a whole number.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - value: The number.
  package mutating func member(_ name: StaticString, _ value: Int) {
    self.name(name)
    octets.append(contentsOf: String(value).utf8)
  }

  /// Writes a member that is true or false.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - value: Which of the two.
  package mutating func member(_ name: StaticString, _ value: Bool) {
    self.name(name)
    octets.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Writes a member that is an array of texts.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - values: The texts.
  package mutating func member(_ name: StaticString, _ values: [String]) {
    self.name(name)
    octets.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { octets.append(UInt8(ascii: ",")) }
      text(value)
    }
    octets.append(UInt8(ascii: "]"))
  }

  /// Writes a member that is an object.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - members: Writes its members.
  package mutating func object(_ name: StaticString, _ members: (inout JSONObject) -> Void) {
    self.name(name)
    open()
    members(&self)
    close()
  }

  /// Writes a member that is an array of objects.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - elements: What is written.
  ///   - members: Writes the members of one.
  package mutating func array<Element>(
    _ name: StaticString,
    _ elements: [Element],
    _ members: (Element, inout JSONObject) -> Void
  ) {
    self.name(name)
    octets.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { octets.append(UInt8(ascii: ",")) }
      open()
      members(element, &self)
      close()
    }
    octets.append(UInt8(ascii: "]"))
    isEmpty = false
  }

  private mutating func name(_ name: StaticString) {
    let comma: UInt8? = isEmpty ? nil : UInt8(ascii: ",")
    isEmpty = false
    // At once: an array looks whether it has room, and is nobody else's, before each octet.
    octets.append(addingCapacity: name.utf8CodeUnitCount + 4) { octets in
      if let comma { octets.append(comma) }
      octets.append(UInt8(ascii: "\""))
      for index in 0..<name.utf8CodeUnitCount { octets.append(name.utf8Start[index]) }
      octets.append(UInt8(ascii: "\""))
      octets.append(UInt8(ascii: ":"))
    }
  }

  /// The one place where text is escaped (RFC 8259 §7).
  private mutating func text(_ text: String) {
    octets.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      // Most text has nothing to escape, and is copied as it is.
      if utf8.contains(where: Self.isEscaped) {
        for octet in utf8 { escape(octet) }
      } else {
        octets.append(contentsOf: utf8)
      }
    }
    octets.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ octet: UInt8) {
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      octets.append(UInt8(ascii: "\\"))
      octets.append(octet)
    case 0..<0x20, 0x7F:
      octets.append(contentsOf: "\\u00".utf8)
      octets.append(Self.hexadecimal(octet >> 4))
      octets.append(Self.hexadecimal(octet & 15))
    default:
      octets.append(octet)
    }
  }

  private static func isEscaped(_ octet: UInt8) -> Bool {
    octet < 0x20 || octet == 0x7F || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\")
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
