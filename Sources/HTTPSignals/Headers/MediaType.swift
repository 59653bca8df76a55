internal import HTTPTypes

extension Request {
  /// Returns whether the content has a media type, in UTF-8 if it says a character set.
  ///
  /// - Parameter mediaType: The type in lower case; what is sent may have any case, and parameters
  ///   (RFC 9110 §8.3.1).
  package func hasContent(of mediaType: String) -> Bool {
    guard var value = fields.first(.contentType), let sent = value.withUTF8(MediaType.init) else {
      return false
    }
    return sent.value == mediaType && sent.isUTF8
  }
}

/// A field value with parameters, such as `form-data; name="email"` (RFC 9110 §5.6.6).
struct MediaType {
  /// The maximum number of parameters; no media type has more.
  static let maximumCount = 16

  /// The value without its parameters, in lower case.
  let value: String
  private var parameters: [(name: String, value: String)] = []

  /// Parses the value of a field; ignores parameters that are not well-formed.
  ///
  /// Returns `nil` if there are too many parameters.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var end = Self.endOfPiece(in: bytes, from: start)
    value = Self.text(bytes[start..<end].trimmed).lowercased()
    var count = 0
    while end < bytes.count {
      count += 1
      guard count <= Self.maximumCount else { return nil }
      start = end + 1
      end = Self.endOfPiece(in: bytes, from: start)
      let piece = bytes[start..<end]
      guard let separator = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
      parameters.append(
        (
          Self.text(piece[..<separator].trimmed).lowercased(),
          Self.unquoted(piece[(separator + 1)...].trimmed)
        ))
    }
  }

  /// The first parameter with this name.
  subscript(name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// Whether no other character set than UTF-8 is named.
  var isUTF8: Bool {
    parameters.allSatisfy { $0.name != "charset" || $0.value.lowercased() == "utf-8" }
  }

  /// Returns the index of the next semicolon outside quotation marks, or the end.
  private static func endOfPiece(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var isQuoted = false
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ";") where !isQuoted: return index
      default: break
      }
      index += 1
    }
    return bytes.count
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private static func text(_ bytes: Bytes) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func unquoted(_ bytes: Bytes) -> String {
    let quote = UInt8(ascii: "\"")
    guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else {
      return text(bytes)
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var isEscaped = false
    for byte in bytes.dropFirst().dropLast() {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        result.append(byte)
        isEscaped = false
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
