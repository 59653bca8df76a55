/// Reads `multipart/form-data` (RFC 7578, RFC 2046 §5.1), strictly.
struct MultipartDecoder {
  private let body: [UInt8]
  private let delimiter: [UInt8]

  /// Reads a body.
  ///
  /// - Parameters:
  ///   - body: The octets.
  ///   - boundary: What the media type says stands between the parts; 1 to 70 characters.
  /// - Returns: The fields in their order; a file is a field that is not text.
  /// - Throws: `BodyError.malformed`.
  static func decode(_ body: [UInt8], boundary: String?) throws(BodyError) -> BodyFields {
    guard let boundary, (1...70).contains(boundary.utf8.count) else {
      throw .malformed("The boundary of the multipart body is missing.")
    }
    return try MultipartDecoder(body: body, delimiter: Array("--\(boundary)".utf8)).fields()
  }

  private func fields() throws(BodyError) -> BodyFields {
    var fields = BodyFields()
    guard body.starts(with: delimiter) else { throw Self.malformed }
    var index = delimiter.count
    while !has("--", at: index) {
      guard has("\r\n", at: index) else { throw Self.malformed }
      index += 2
      guard let end = find(Array("\r\n".utf8) + delimiter, from: index) else {
        throw Self.malformed
      }
      let (name, value) = try part(index..<end)
      fields.append(name, value)
      index = end + 2 + delimiter.count
    }
    return fields
  }

  private func part(_ range: Range<Int>) throws(BodyError) -> (String, BodyFields.Value) {
    // A part without fields of its own begins with the empty line.
    guard let gap = find(Array("\r\n\r\n".utf8), from: range.lowerBound), gap < range.upperBound,
      let head = String(validating: body[range.lowerBound..<gap], as: UTF8.self)
    else { throw Self.malformed }
    for line in head.split(separator: "\r\n") {
      let halves = line.split(separator: ":", maxSplits: 1)
      guard halves.count == 2, halves[0].lowercased() == "content-disposition" else { continue }
      let disposition = MediaParameters(halves[1])
      guard disposition.value == "form-data", let name = disposition["name"] else { break }
      if disposition["filename"] != nil { return (name, .other) }
      let text = String(validating: body[(gap + 4)..<range.upperBound], as: UTF8.self)
      return (name, text.map { .text($0) } ?? .damagedText)
    }
    throw .malformed("A part of the body does not say which field it is.")
  }

  private func has(_ text: String, at index: Int) -> Bool {
    body[min(index, body.count)...].starts(with: text.utf8)
  }

  private func find(_ octets: [UInt8], from start: Int) -> Int? {
    guard body.count >= octets.count else { return nil }
    var index = start
    while index <= body.count - octets.count {
      if body[index] == octets[0], body[index...].starts(with: octets) { return index }
      index += 1
    }
    return nil
  }

  private static let malformed = BodyError.malformed("The body is not well-formed multipart.")
}
