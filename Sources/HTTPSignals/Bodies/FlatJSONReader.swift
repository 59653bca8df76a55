/// Reads one flat JSON object from octets (RFC 8259), strictly: the hot path of a sign-up.
///
/// Foundation's decoder costs several times as much and lets a lone surrogate pass for an error of
/// the whole body. Members that are not text are skipped, however nested; a name that comes twice
/// is refused, since nobody knows which of the two counts.
struct FlatJSONReader {
  /// How deep a member that is skipped may be nested.
  private static let maximumDepth = 32

  private let octets: [UInt8]
  private var index = 0

  private init(octets: [UInt8]) {
    self.octets = octets
  }

  /// Reads a body.
  ///
  /// - Parameter body: The octets.
  /// - Returns: The members in their order.
  /// - Throws: `BodyError.malformed`.
  static func decode(_ body: [UInt8]) throws(BodyError) -> BodyFields {
    var reader = FlatJSONReader(octets: body)
    return try reader.readBody()
  }

  private mutating func readBody() throws(BodyError) -> BodyFields {
    var fields = BodyFields()
    skipWhiteSpace()
    guard take(UInt8(ascii: "{")) else { throw .malformed("The body is not a JSON object.") }
    skipWhiteSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        skipWhiteSpace()
        fields.append(try readName(), try readValue())
        skipWhiteSpace()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw Self.notJSON }
    }
    skipWhiteSpace()
    guard index == octets.count else { throw Self.notJSON }
    guard !fields.repeatsName else {
      throw .malformed("A member of the object is given more than once.")
    }
    return fields
  }

  private static let notJSON = BodyError.malformed("The body is not well-formed JSON.")

  private mutating func readName() throws(BodyError) -> String {
    guard current == UInt8(ascii: "\"") else { throw Self.notJSON }
    guard case .text(let name) = try readString() else {
      throw .malformed("The name of a member is not Unicode text.")
    }
    skipWhiteSpace()
    guard take(UInt8(ascii: ":")) else { throw Self.notJSON }
    skipWhiteSpace()
    return name
  }

  private mutating func readValue() throws(BodyError) -> BodyFields.Value {
    if current == UInt8(ascii: "\"") { return try readString() }
    try skipValue(depth: 0)
    return .other
  }

  // MARK: Text

  private mutating func readString() throws(BodyError) -> BodyFields.Value {
    index += 1
    let start = index
    // Most text has no escapes: it is one run of octets.
    while let octet = current, octet >= 0x20, octet != UInt8(ascii: "\\") {
      if octet == UInt8(ascii: "\"") {
        let text = Self.text(octets[start..<index])
        index += 1
        return text.map { .text($0) } ?? .damagedText
      }
      index += 1
    }
    return try readEscapedString(Array(octets[start..<index]))
  }

  /// `String(validating:)` is not specialized in the standard library: for ASCII, which nearly all
  /// is, a tenth of it is enough.
  private static func text(_ octets: ArraySlice<UInt8>) -> String? {
    octets.withUnsafeBufferPointer { octets in
      octets.allSatisfy { $0 < 0x80 }
        ? String(decoding: octets, as: UTF8.self) : String(validating: octets, as: UTF8.self)
    }
  }

  private mutating func readEscapedString(
    _ beginning: [UInt8]
  ) throws(BodyError) -> BodyFields.Value {
    var result = beginning
    var isDamaged = false
    while let octet = current, octet >= 0x20 {
      index += 1
      switch octet {
      case UInt8(ascii: "\""):
        guard !isDamaged, let text = String(validating: result, as: UTF8.self) else {
          return .damagedText
        }
        return .text(text)
      case UInt8(ascii: "\\"):
        if let scalar = try readEscape() {
          result.append(contentsOf: String(scalar).utf8)
        } else {
          isDamaged = true
        }
      default:
        result.append(octet)
      }
    }
    throw Self.notJSON
  }

  /// Reads what follows a backslash; `nil` for a lone surrogate.
  private mutating func readEscape() throws(BodyError) -> Unicode.Scalar? {
    guard let octet = current else { throw Self.notJSON }
    index += 1
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(octet)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try readCodeUnit()
      guard (0xD800...0xDBFF).contains(unit) else { return Unicode.Scalar(unit) }
      // The second half may be missing, or be something else, which is then read again.
      let rest = index
      guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
        index = rest
        return nil
      }
      let second = try readCodeUnit()
      guard (0xDC00...0xDFFF).contains(second) else {
        index = rest
        return nil
      }
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
    default: throw Self.notJSON
    }
  }

  private mutating func readCodeUnit() throws(BodyError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = current.flatMap(hexadecimalDigit) else { throw Self.notJSON }
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return unit
  }

  // MARK: What is skipped

  private mutating func skipValue(depth: Int) throws(BodyError) {
    guard depth < Self.maximumDepth else { throw .malformed("The JSON is nested too deep.") }
    switch current {
    case UInt8(ascii: "\""):
      guard case .text = try readString() else {
        throw .malformed("A text is not Unicode.")
      }
    case UInt8(ascii: "{"):
      try skipElements(until: UInt8(ascii: "}"), named: true, depth: depth)
    case UInt8(ascii: "["):
      try skipElements(until: UInt8(ascii: "]"), named: false, depth: depth)
    case UInt8(ascii: "t"): try skip("true")
    case UInt8(ascii: "f"): try skip("false")
    case UInt8(ascii: "n"): try skip("null")
    default: try skipNumber()
    }
  }

  private mutating func skipElements(
    until end: UInt8,
    named: Bool,
    depth: Int
  ) throws(BodyError) {
    index += 1
    skipWhiteSpace()
    if take(end) { return }
    repeat {
      skipWhiteSpace()
      if named { _ = try readName() }
      try skipValue(depth: depth + 1)
      skipWhiteSpace()
    } while take(UInt8(ascii: ","))
    guard take(end) else { throw Self.notJSON }
  }

  private mutating func skip(_ literal: StaticString) throws(BodyError) {
    for position in 0..<literal.utf8CodeUnitCount {
      guard take(literal.utf8Start[position]) else { throw Self.notJSON }
    }
  }

  private mutating func skipNumber() throws(BodyError) {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try skipDigits() }
    if take(UInt8(ascii: ".")) { try skipDigits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(BodyError) {
    let start = index
    while let octet = current, octet >= UInt8(ascii: "0"), octet <= UInt8(ascii: "9") {
      index += 1
    }
    guard index > start else { throw Self.notJSON }
  }

  // MARK: Octets

  private var current: UInt8? { index < octets.count ? octets[index] : nil }

  private mutating func take(_ octet: UInt8) -> Bool {
    guard current == octet else { return false }
    index += 1
    return true
  }

  private mutating func skipWhiteSpace() {
    while let octet = current, octet == 0x20 || octet == 0x09 || octet == 0x0A || octet == 0x0D {
      index += 1
    }
  }
}
