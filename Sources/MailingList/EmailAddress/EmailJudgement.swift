/// The closer look at an address: every check, in the order of the reasons.
struct EmailJudgement {
  /// A scalar and the octet of the typed text at which it begins.
  struct Position {
    let scalar: Unicode.Scalar
    let offset: Int
  }

  private let octets: UnsafeBufferPointer<UInt8>
  private let level: EmailLevel

  init(_ octets: UnsafeBufferPointer<UInt8>, level: EmailLevel) {
    self.octets = octets
    self.level = level
  }

  /// Judges.
  func address() throws(EmailRefusal) -> EmailAddress {
    guard octets.count <= 1024 else { throw EmailRefusal(.tooLong) }
    let entered = trimmed()
    guard !entered.isEmpty else { throw EmailRefusal(.empty) }
    guard entered.count <= 254 else { throw EmailRefusal(.tooLong) }
    let text = try decode(entered)
    try refuseEverywhere(text)
    let signs = text.indices.filter { text[$0].scalar == "@" }
    guard let sign = signs.first else { throw EmailRefusal(.missingAt) }
    if signs.count > 1 { throw EmailRefusal(.multipleAt, at: text[signs[1]].offset) }
    guard sign > 0 else { throw EmailRefusal(.missingLocalPart, at: text[sign].offset) }
    let typedDomain = Array(text[(sign + 1)...])
    guard !typedDomain.isEmpty else { throw EmailRefusal(.missingDomain) }
    let local = try LocalPart(Array(text[..<sign]), domain: typedDomain)
    let domain = try DomainPart(typedDomain, level: level).ascii
    let address = EmailAddress(
      entered: String(decoding: entered, as: UTF8.self),
      local: local.text,
      asciiDomain: domain,
      key: "\(local.key)@\(domain)"
    )
    // An A-label can be longer than what was typed.
    guard address.normalised.utf8.count <= 254 else { throw EmailRefusal(.tooLong) }
    return address
  }

  /// Takes tabs and the spaces that keyboards make off both ends; nothing else is ever trimmed.
  private func trimmed() -> Slice<UnsafeBufferPointer<UInt8>> {
    var rest = octets[...]
    while let edge = Self.edges.first(where: { rest.starts(with: $0) }) {
      rest = rest.dropFirst(edge.count)
    }
    while let edge = Self.edges.first(where: { rest.suffix($0.count).elementsEqual($0) }) {
      rest = rest.dropLast(edge.count)
    }
    return rest
  }

  /// Tab, space, U+00A0 and U+3000.
  private static let edges: [[UInt8]] = [[0x20], [0x09], [0xC2, 0xA0], [0xE3, 0x80, 0x80]]

  private func decode(
    _ entered: Slice<UnsafeBufferPointer<UInt8>>
  ) throws(EmailRefusal) -> [Position] {
    var decoder = UTF8()
    var iterator = entered.makeIterator()
    var offset = entered.startIndex
    var text: [Position] = []
    text.reserveCapacity(entered.count)
    while true {
      switch decoder.decode(&iterator) {
      case .emptyInput: return text
      case .error: throw EmailRefusal(.invalidUnicode, at: offset)
      case .scalarValue(let scalar):
        if scalar == "\u{FFFD}" || scalar.properties.isNoncharacterCodePoint {
          throw EmailRefusal(.invalidUnicode, at: offset)
        }
        text.append(Position(scalar: scalar, offset: offset))
        offset += UTF8.width(scalar)
      }
    }
  }

  /// What is refused wherever it stands.
  private func refuseEverywhere(_ text: [Position]) throws(EmailRefusal) {
    func refuse(
      _ reason: EmailRefusal.Reason,
      _ applies: (Unicode.Scalar) -> Bool
    ) throws(EmailRefusal) {
      if let first = text.first(where: { applies($0.scalar) }) {
        throw EmailRefusal(reason, at: first.offset)
      }
    }
    try refuse(.controlCharacter) {
      $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\u{2028}" || $0 == "\u{2029}"
    }
    try refuse(.displayName) { $0 == "<" || $0 == ">" }
    if text.first?.scalar == "\"" { throw EmailRefusal(.quotedLocalPart, at: text[0].offset) }
    try refuse(.comment) { $0 == "(" || $0 == ")" }
    try refuse(.whitespace) {
      $0 == " " || (!$0.isASCII && $0.properties.generalCategory == .spaceSeparator)
    }
    var previous: Unicode.Scalar = "@"
    for position in text {
      if position.scalar.isInvisible(after: previous) {
        throw EmailRefusal(.invisibleCharacter, at: position.offset)
      }
      previous = position.scalar
    }
  }
}

extension Unicode.Scalar {
  /// U+200C and U+200D: judged in their context.
  var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }
  /// The variation selectors of text and of emoji.
  var isEmojiSelector: Bool { self == "\u{FE0E}" || self == "\u{FE0F}" }
  /// A symbol that keyboards offer as a picture; digits are none here.
  var isEmojiBeyondASCII: Bool { !isASCII && properties.isEmoji }
  /// A combining mark.
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Whether it shows nothing, and has no business after another one.
  func isInvisible(after previous: Unicode.Scalar) -> Bool {
    if isASCII || isJoiner { return false }
    if isEmojiSelector { return !previous.isEmojiBeyondASCII }
    return properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format
      || self == "\u{2800}"
  }
}
