/// A JSON value that the program reads, composes and writes; an object keeps the order of its
/// members.
package enum JSON: Sendable {
  case object([(name: String, value: JSON)])
  case array([JSON])
  case string(String)
  case number(Int)
  case boolean(Bool)
  case null

  /// The members; none if the value is not an object.
  package var members: [(name: String, value: JSON)] {
    if case .object(let members) = self { members } else { [] }
  }

  /// The elements; none if the value is not an array.
  package var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// The text; `nil` if the value is not a string.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The member of an object; `nil` if there is none.
  ///
  /// Setting a member makes the value an object.
  package subscript(name: String) -> JSON? {
    get { members.first { $0.name == name }?.value }
    set {
      var members = members
      // Without another reference, the members are changed in place.
      self = .null
      let index = members.firstIndex { $0.name == name }
      if let index { members.remove(at: index) }
      if let newValue { members.insert((name, newValue), at: index ?? members.count) }
      self = .object(members)
    }
  }
}

// MARK: Composing

extension JSON: ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .string(text) }

  package init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// Creates an object of the members that are not `nil`.
  package init(dictionaryLiteral members: (String, JSON?)...) {
    self = .object(members.compactMap { name, value in value.map { (name, $0) } })
  }
}

// MARK: Reading

extension JSON {
  /// Reads a text of the program; `nil` if it is not JSON, or has a number that is not whole or a
  /// surrogate as an escape sequence.
  package init?(_ text: [UInt8]) {
    var reader = Reader(bytes: text[...])
    guard let value = reader.value(), reader.isAtEnd else { return nil }
    self = value
  }

  /// A reader of JSON, many times as fast as `JSONDecoder`, which has no value of any type.
  private struct Reader {
    /// The bytes that have not been read.
    var bytes: ArraySlice<UInt8>

    var isAtEnd: Bool {
      mutating get {
        skipSpace()
        return bytes.isEmpty
      }
    }

    private mutating func skipSpace() {
      bytes = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipSpace()
      guard bytes.first == UInt8(ascii: character) else { return false }
      bytes.removeFirst()
      return true
    }

    mutating func value() -> JSON? {
      if take("\"") { return string().map(JSON.string) }
      if take("{") {
        return list(until: "}") { reader in
          guard reader.take("\""), let name = reader.string(), reader.take(":") else { return nil }
          return reader.value().map { (name, $0) }
        }.map(JSON.object)
      }
      if take("[") { return list(until: "]") { $0.value() }.map(JSON.array) }
      let word = bytes.prefix { $0 > 0x20 && !",]}".utf8.contains($0) }
      bytes = bytes[word.endIndex...]
      switch String(decoding: word, as: UTF8.self) {
      case "true": return .boolean(true)
      case "false": return .boolean(false)
      case "null": return .null
      case let number: return Int(number).map(JSON.number)
      }
    }

    private mutating func list<Element>(
      until end: Unicode.Scalar, _ element: (inout Reader) -> Element?
    ) -> [Element]? {
      var elements: [Element] = []
      if take(end) { return elements }
      repeat {
        guard let element = element(&self) else { return nil }
        elements.append(element)
      } while take(",")
      return take(end) ? elements : nil
    }

    /// Reads the rest of a string, after its first quotation mark.
    private mutating func string() -> String? {
      var text = ""
      while true {
        let run = bytes.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        text += String(decoding: run, as: UTF8.self)
        bytes = bytes[run.endIndex...]
        guard let end = bytes.popFirst() else { return nil }
        if end == UInt8(ascii: "\"") { return text }
        guard let scalar = escaped() else { return nil }
        text.unicodeScalars.append(scalar)
      }
    }

    private mutating func escaped() -> Unicode.Scalar? {
      guard let letter = bytes.popFirst() else { return nil }
      switch Unicode.Scalar(letter) {
      case "\"", "\\", "/": return Unicode.Scalar(letter)
      case "b": return "\u{8}"
      case "f": return "\u{C}"
      case "n": return "\n"
      case "r": return "\r"
      case "t": return "\t"
      case "u":
        let digits = bytes.prefix(4)
        bytes = bytes[digits.endIndex...]
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(
          Unicode.Scalar.init)
      default: return nil
      }
    }
  }
}
