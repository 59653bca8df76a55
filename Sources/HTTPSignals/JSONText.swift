internal import Platform

/// A writer of a JSON text.
///
/// Responses are small and flat, so they are written directly into the buffer that is sent.
package struct JSONText: Hashable, Sendable {
  /// The characters of strings that are written as escape sequences.
  package enum Escaping: Hashable, Sendable {
    /// The characters that RFC 8259 §7 requires to be escaped, and DEL.
    case required
    /// Also the characters that end a line or control a terminal, for output that a person reads.
    case line
  }

  package private(set) var bytes: [UInt8] = []

  private let escaping: Escaping

  package init(escaping: Escaping = .required) {
    self.escaping = escaping
    bytes.reserveCapacity(256)
  }

  package mutating func object(_ members: (inout JSONObject) -> Void) {
    var object = JSONObject(bytes: bytes, escaping: escaping)
    bytes = []
    object.write(members)
    bytes = object.bytes
  }

  package mutating func string(_ value: String) {
    var object = JSONObject(bytes: bytes, escaping: escaping)
    bytes = []
    object.text(value)
    bytes = object.bytes
  }
}

package struct JSONObject {
  fileprivate(set) var bytes: [UInt8]
  private var isEmpty = true
  private let escaping: JSONText.Escaping

  fileprivate init(bytes: consuming [UInt8], escaping: JSONText.Escaping) {
    self.bytes = bytes
    self.escaping = escaping
  }

  fileprivate mutating func write(_ members: (inout JSONObject) -> Void) {
    open()
    members(&self)
    close()
  }

  private mutating func open() {
    bytes.append(UInt8(ascii: "{"))
    isEmpty = true
  }

  private mutating func close() {
    bytes.append(UInt8(ascii: "}"))
    isEmpty = false
  }

  /// Writes a member that is a string, or `null` for `nil`.
  package mutating func member(_ name: StaticString, _ value: String?) {
    self.name(name)
    if let value { text(value) } else { bytes.append(contentsOf: "null".utf8) }
  }

  // Names from outside the program are escaped.

  package mutating func member(named name: String, _ value: String?) {
    self.name(escaping: name)
    if let value { text(value) } else { bytes.append(contentsOf: "null".utf8) }
  }

  package mutating func member(named name: String, _ value: Int) {
    self.name(escaping: name)
    bytes.append(contentsOf: String(value).utf8)
  }

  private mutating func name(escaping name: String) {
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    isEmpty = false
    text(name)
    bytes.append(UInt8(ascii: ":"))
  }

  package mutating func member(_ name: StaticString, _ value: Int) {
    self.name(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    self.name(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  package mutating func member(_ name: StaticString, _ values: [String]) {
    self.name(name)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      text(value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  package mutating func object(_ name: StaticString, _ members: (inout JSONObject) -> Void) {
    self.name(name)
    write(members)
  }

  // Not with ``write(_:)``, whose closure would capture the element.
  package mutating func array<Element>(
    _ name: StaticString, _ elements: [Element], _ members: (Element, inout JSONObject) -> Void
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
    // No name in the program has to be escaped.
    _ = name.withUTF8Buffer { append(quoted: $0, after: comma, before: UInt8(ascii: ":")) }
  }

  /// Appends text in quotation marks, after one byte and before another; appends nothing, and returns
  /// `false`, if it has to be escaped.
  @discardableResult
  private mutating func append(
    quoted text: UnsafeBufferPointer<UInt8>, after first: UInt8? = nil, before last: UInt8? = nil
  ) -> Bool {
    var isPlain = true
    // One append, because an array checks its capacity and its uniqueness each time.
    bytes.append(addingCapacity: text.count + 4) { bytes in
      bytes.withUnsafeMutableBufferPointer { bytes, count in
        if let first {
          bytes[count] = first
          count += 1
        }
        bytes[count] = UInt8(ascii: "\"")
        let copy = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(bytes)[(count + 1)...])
        isPlain = Self.copy(UnsafeRawBufferPointer(text), to: copy)
        guard isPlain else { return count = 0 }
        count += text.count + 2
        bytes[count - 1] = UInt8(ascii: "\"")
        if let last {
          bytes[count] = last
          count += 1
        }
      }
    }
    return isPlain
  }

  /// Copies text, and returns whether nothing in it has to be escaped.
  private static func copy(
    _ text: UnsafeRawBufferPointer, to copy: UnsafeMutableRawBufferPointer
  ) -> Bool {
    var escaped: UInt64 = 0
    var index = 0
    while index + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      escaped |= word.controlBytes(or: UInt8(ascii: "\""), UInt8(ascii: "\\"))
      copy.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    // The rest is checked as one word, filled up with letters.
    var rest: UInt64 = 0x6161_6161_6161_6161
    while index < text.count {
      copy[index] = text[index]
      rest = rest << 8 | UInt64(text[index])
      index += 1
    }
    return escaped | rest.controlBytes(or: UInt8(ascii: "\""), UInt8(ascii: "\\")) == 0
  }

  /// Writes a string, escaped (RFC 8259 §7).
  fileprivate mutating func text(_ text: String) {
    if escaping == .line {
      bytes.append(contentsOf: JSONText.line(text).utf8)
      return
    }
    var text = text
    text.withUTF8 { utf8 in
      // Most strings have nothing to escape.
      if append(quoted: utf8) { return }
      bytes.append(UInt8(ascii: "\""))
      for byte in utf8 { escape(byte) }
      bytes.append(UInt8(ascii: "\""))
    }
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

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}

extension JSONText {
  /// Returns an object of texts, in the order of names; `nil` without values.
  package static func object(_ values: [String: String], inOrderOf names: [String]) -> String? {
    guard !values.isEmpty else { return nil }
    var json = JSONText()
    json.object { object in
      for name in names {
        if let value = values[name] { object.member(named: name, value) }
      }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Formats a string so that it stays on one line and does not control a terminal.
  static func line(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if scalar.isUnfitForLine {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

extension Unicode.Scalar {
  /// Whether the scalar ends a line or controls a terminal: C0 and C1 controls, DEL, line and
  /// paragraph separators, and bidirectional controls; all of these are below U+10000.
  package var isUnfitForLine: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
