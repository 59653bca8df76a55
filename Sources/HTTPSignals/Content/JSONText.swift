/// A JSON text that is being written, as bytes.
///
/// Answers are small and flat, so they are written straight into the buffer that is sent.
package struct JSONText: Hashable, Sendable {
  /// What was written so far; UTF-8.
  package private(set) var bytes: [UInt8] = []

  /// Makes an empty text.
  package init() {
    bytes.reserveCapacity(256)
  }

  /// Writes an object.
  ///
  /// - Parameter members: Writes its members.
  package mutating func object(_ members: (inout JSONObject) -> Void) {
    var object = JSONObject(bytes: bytes)
    bytes = []
    object.open()
    members(&object)
    object.close()
    bytes = object.bytes
  }
}

/// An object within a JSON text.
package struct JSONObject {
  fileprivate(set) var bytes: [UInt8]
  private var isEmpty = true

  fileprivate init(bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  fileprivate mutating func open() {
    bytes.append(UInt8(ascii: "{"))
    isEmpty = true
  }

  fileprivate mutating func close() {
    bytes.append(UInt8(ascii: "}"))
    isEmpty = false
  }

  /// Writes a member that is text, or `null`.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - value: Its text.
  package mutating func member(_ name: StaticString, _ value: String?) {
    self.name(name)
    if let value { text(value) } else { bytes.append(contentsOf: "null".utf8) }
  }

  /// Writes a member that is a whole number.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - value: The number.
  package mutating func member(_ name: StaticString, _ value: Int) {
    self.name(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Writes a member that is true or false.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - value: Which of the two.
  package mutating func member(_ name: StaticString, _ value: Bool) {
    self.name(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Writes a member that is an array of texts.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - values: The texts.
  package mutating func member(_ name: StaticString, _ values: [String]) {
    self.name(name)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      text(value)
    }
    bytes.append(UInt8(ascii: "]"))
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
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      open()
      members(element, &self)
      close()
    }
    bytes.append(UInt8(ascii: "]"))
    isEmpty = false
  }

  private mutating func name(_ name: StaticString) {
    let comma: UInt8? = isEmpty ? nil : UInt8(ascii: ",")
    isEmpty = false
    // At once: an array looks whether it has room, and is nobody else's, before each byte.
    bytes.append(addingCapacity: name.utf8CodeUnitCount + 4) { bytes in
      if let comma { bytes.append(comma) }
      bytes.append(UInt8(ascii: "\""))
      for index in 0..<name.utf8CodeUnitCount { bytes.append(name.utf8Start[index]) }
      bytes.append(UInt8(ascii: "\""))
      bytes.append(UInt8(ascii: ":"))
    }
  }

  /// The one place where text is escaped (RFC 8259 §7).
  private mutating func text(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      // Most text has nothing to escape, and is copied as it is.
      if utf8.contains(where: Self.isEscaped) {
        for byte in utf8 { escape(byte) }
      } else {
        bytes.append(contentsOf: utf8)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0..<0x20, 0x7F:
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(Self.hexadecimal(byte >> 4))
      bytes.append(Self.hexadecimal(byte & 15))
    default:
      bytes.append(byte)
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
