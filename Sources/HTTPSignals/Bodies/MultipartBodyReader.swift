internal import HTTPTypes
internal import Platform

/// A strict reader of `multipart/form-data` (RFC 7578, RFC 2046 §5.1).
struct MultipartBodyReader {
  /// The maximum number of header fields in a part; a browser sends two.
  private static let maximumHeaderFieldCount = 16

  // Valid only during `decode`.
  private let body: UnsafeBufferPointer<UInt8>
  /// The bytes that end a part: a line break and the delimiter.
  private let partEnd: UnsafeBufferPointer<UInt8>

  /// Decodes a body; the boundary has 1 to 70 bytes, and the value of an uploaded file is `other`.
  static func decode(_ body: [UInt8], boundary: String?) throws(BodyError) -> BodyFields {
    guard let boundary, (1...70).contains(boundary.utf8.count) else {
      throw .malformed(.boundary)
    }
    return try body.withUnsafeBufferPointer { (body) throws(BodyError) in
      try Array("\r\n--\(boundary)".utf8).withUnsafeBufferPointer { (partEnd) throws(BodyError) in
        try MultipartBodyReader(body: body, partEnd: partEnd).fields()
      }
    }
  }

  private func fields() throws(BodyError) -> BodyFields {
    var fields = BodyFields()
    let delimiter = partEnd[part: 2..<partEnd.count]
    guard body.starts(with: delimiter) else { throw Self.malformed }
    var index = delimiter.count
    while !has("--", at: index) {
      guard has("\r\n", at: index) else { throw Self.malformed }
      index += 2
      guard let end = body.firstIndex(of: partEnd, in: index..<body.count) else {
        throw Self.malformed
      }
      let (name, value) = try part(index..<end)
      try fields.append(name, value)
      index = end + partEnd.count
    }
    return fields
  }

  private func part(_ range: Range<Int>) throws(BodyError) -> (String, BodyFields.Value) {
    var start = range.lowerBound
    var count = 0
    var name: String?
    var isFile = false
    // A part without header fields begins with the empty line.
    while true {
      guard let end = endOfLine(in: start..<range.upperBound) else { throw Self.malformed }
      let line = body[part: start..<end]
      start = end + 2
      if line.isEmpty { break }
      count += 1
      guard count <= Self.maximumHeaderFieldCount else { throw .malformed(.tooManyPartFields) }
      guard name == nil, let value = Self.contentDisposition(line) else { continue }
      guard let disposition = MediaType(value) else { throw .malformed(.tooManyPartParameters) }
      guard disposition.value == "form-data", let given = disposition["name"] else {
        throw Self.nameless
      }
      name = given
      isFile = disposition["filename"] != nil
    }
    guard let name, body[part: range.lowerBound..<start].isWellFormedUTF8 else {
      throw Self.nameless
    }
    if isFile { return (name, .other) }
    let text = String(utf8: body[part: start..<range.upperBound])
    return (name, text.map { .text($0) } ?? .damagedText)
  }

  /// Returns the value of a `Content-Disposition` line; `nil` for any other line.
  private static func contentDisposition(
    _ line: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    let name: StaticString = "content-disposition"
    let length = name.utf8CodeUnitCount
    guard line.count > length, line[length] == UInt8(ascii: ":") else { return nil }
    let isName = name.withUTF8Buffer { name in
      name.indices.allSatisfy { line[$0].asciiLowercased == name[$0] }
    }
    return isName ? line[part: (length + 1)..<line.count] : nil
  }

  /// Returns the index of the line break that ends a line; `nil` if there is none.
  private func endOfLine(in range: Range<Int>) -> Int? {
    var start = range.lowerBound
    while let index = body.firstIndex(of: UInt8(ascii: "\r"), in: start..<range.upperBound),
      index + 1 < range.upperBound
    {
      if body[index + 1] == UInt8(ascii: "\n") { return index }
      start = index + 1
    }
    return nil
  }

  private func has(_ text: StaticString, at index: Int) -> Bool {
    guard index + text.utf8CodeUnitCount <= body.count else { return false }
    return text.withUTF8Buffer { text in
      body[part: index..<(index + text.count)].elementsEqual(text)
    }
  }

  private static let malformed = BodyError.malformed(.notMultipart)
  private static let nameless = BodyError.malformed(.partName)
}

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

  /// Ignores parameters that are not well-formed; returns `nil` if there are too many.
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

  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

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

  private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func unquoted(_ bytes: Bytes) -> String {
    let quote = UInt8(ascii: "\"")
    guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return text(bytes) }
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
