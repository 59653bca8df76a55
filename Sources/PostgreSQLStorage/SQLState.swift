/// The code of a server's error: five characters, each of which is a digit or a
/// capital letter.
///
/// The codes are listed in <https://www.postgresql.org/docs/current/errcodes-appendix.html>. Unlike
/// a message, a code never quotes an address.
struct SQLState: Hashable, Sendable {
  /// The characters in the server's format, six bits each, the first one lowest; the corresponding
  /// C macro is `MAKE_SQLSTATE`.
  let code: Int32

  /// Creates a state from its five characters; `nil` for any other text.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count == 5 else { return nil }
    var code: Int32 = 0
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
        code |= Int32(byte - UInt8(ascii: "0")) << (6 * Int32(index))
      default:
        return nil
      }
    }
    self.code = code
  }

  /// The state of an error of the function `require_change`.
  static let changedRow = SQLState("EN001")

  /// The role may not do it.
  static let insufficientPrivilege = SQLState("42501")

  /// A row with the same key exists.
  static let uniqueViolation = SQLState("23505")

  /// The state of an error without one.
  static let unknown = SQLState("XX000")

  /// The class, which is the first two characters.
  var errorClass: Substring { description.prefix(2) }

  /// Whether the error concerns one member of a batch: its values, or a trigger that rejects them.
  var concernsMember: Bool {
    switch errorClass {
    case "22", "23", "42", "P0": true
    default: false
    }
  }

  /// Whether waiting may help after a rejected connection: the server is starting or stopping, or
  /// lacks memory, disk space or room for a connection.
  var isTemporary: Bool {
    switch errorClass {
    case "08", "53", "57", "58", "XX": true
    default: false
    }
  }

  /// Whether the connection has become unusable: it is broken, the server is stopping or has ended
  /// the transaction by a timeout, or the session has become read-only.
  var endsConnection: Bool {
    if errorClass == "08" { return true }
    return switch description {
    case "25006", "25P03", "25P04": true
    default: description.hasPrefix("57P")
    }
  }
}

extension SQLState: CustomStringConvertible {
  /// The five characters.
  var description: String {
    String(
      decoding: (0..<5).map { UInt8(code >> (6 * $0) & 0x3F) + UInt8(ascii: "0") }, as: UTF8.self)
  }
}
