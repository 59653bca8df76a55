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
