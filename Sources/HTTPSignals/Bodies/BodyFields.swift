internal import HTTPTypes
internal import Platform

/// The reason why a body could not be decoded.
package enum BodyError: Error, Hashable, Sendable {
  /// The body is malformed or exceeds a limit; the text explains it to people.
  case malformed(ProblemText)
  /// The media type or its `charset` is not supported.
  case unsupportedMediaType

  package static func malformed(
    _ key: MalformedBody, _ arguments: [ProblemText.Argument] = []
  ) -> BodyError {
    .malformed(ProblemText(key, arguments))
  }
}

/// The fields of a form, or the members of a flat JSON object.
package struct BodyFields: Sendable {
  /// The value of a field.
  package enum Value: Hashable, Sendable {
    case text(String)
    /// Text that contains ill-formed UTF-8 or a lone surrogate.
    case damagedText
    /// JSON's `null`, with which some clients send a field that has no value.
    case null
    /// Any other JSON value that is not a string, or an uploaded file.
    case other
  }

  /// No form has more, and thousands of fields would take as much time as hundreds of requests.
  package static let maximumCount = 32
  /// The limit keeps the search for duplicates cheap, which compares all names with each other.
  package static let maximumNameBytes = 128

  private var fields: [(name: String, value: Value)] = []

  package init() {}

  /// Throws if there are too many fields, or the name is too long.
  package mutating func append(_ name: String, _ value: Value) throws(BodyError) {
    guard fields.count < Self.maximumCount else {
      throw .malformed(.tooManyFields, [.init("count", Self.maximumCount)])
    }
    guard name.utf8.count <= Self.maximumNameBytes else {
      throw .malformed(.longFieldName, [.init("bytes", Self.maximumNameBytes)])
    }
    fields.append((name, value))
  }

  /// Whether a name occurs more than once, compared byte by byte.
  var repeatsName: Bool {
    fields.indices.contains { index in
      let name = fields[index].name
      return fields[..<index].contains { Self.areEqual($0.name, name) }
    }
  }

  /// Returns whether two names have the same bytes; `==` would compare characters.
  private static func areEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    var left = left
    var right = right
    return left.withUTF8 { left in right.withUTF8 { left.hasSameBytes(as: $0) } }
  }

  /// Returns the name of a field other than `exempt` that contains damaged text; `nil` without one.
  package func damagedField(besides exempt: String? = nil) -> String? {
    fields.first { $0.value == .damagedText && $0.name != exempt }?.name
  }

  /// Returns the value of a field; throws if the field occurs more than once, because the body does
  /// not define which value counts.
  package func value(_ name: String) throws(BodyError) -> Value? {
    var found: Value?
    for field in fields where field.name == name {
      guard found == nil else { throw .malformed(.repeatedField, [.init("name", name)]) }
      found = field.value
    }
    return found
  }

  /// The supported media types, in the format of `Accept-Post`.
  package static let acceptedMediaTypes =
    "application/json, application/x-www-form-urlencoded, multipart/form-data"

  /// Decodes the body of a request according to its media type, which is required.
  package static func decode(_ request: Request) throws(BodyError) -> BodyFields {
    let isJSON = request.fields.first(.contentType, is: "application/json")
    if isJSON { return try JSONBodyReader.decode(request.body) }
    guard var contentType = request.fields.first(.contentType) else {
      throw .unsupportedMediaType
    }
    guard let mediaType = contentType.withUTF8(MediaType.init) else {
      throw .malformed(.tooManyParameters, [.init("count", MediaType.maximumCount)])
    }
    guard mediaType.isUTF8 else { throw .unsupportedMediaType }
    switch mediaType.value {
    case "application/json": return try JSONBodyReader.decode(request.body)
    case "application/x-www-form-urlencoded": return try FormBodyReader.decode(request.body)
    case "multipart/form-data":
      return try MultipartBodyReader.decode(request.body, boundary: mediaType["boundary"])
    default: throw .unsupportedMediaType
    }
  }
}

/// A strict reader of `application/x-www-form-urlencoded` (WHATWG URL §5.1).
enum FormBodyReader {
  static func decode(_ body: [UInt8]) throws(BodyError) -> BodyFields {
    var fields = BodyFields()
    try body.withUnsafeBufferPointer { (body) throws(BodyError) in
      var start = 0
      while start < body.count {
        if body[start] == UInt8(ascii: "&") {
          start += 1
          continue
        }
        let end = body.firstIndex(of: UInt8(ascii: "&"), in: start..<body.count) ?? body.count
        try readField(body[part: start..<end], into: &fields)
        start = end + 1
      }
    }
    return fields
  }

  private static func readField(
    _ pair: UnsafeBufferPointer<UInt8>, into fields: inout BodyFields
  ) throws(BodyError) {
    let separator = pair.firstIndex(of: UInt8(ascii: "="), in: 0..<pair.count) ?? pair.count
    guard let name = try text(pair[part: 0..<separator]) else { throw .malformed(.fieldName) }
    let value = try text(pair[part: min(separator + 1, pair.count)..<pair.count])
    try fields.append(name, value.map { .text($0) } ?? .damagedText)
  }

  /// Decodes the escapes of a name or value; `nil` if the result is not UTF-8.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(BodyError) -> String? {
    let isPlain =
      bytes.firstIndex(of: UInt8(ascii: "%"), in: 0..<bytes.count) == nil
      && bytes.firstIndex(of: UInt8(ascii: "+"), in: 0..<bytes.count) == nil
    if isPlain { return String(utf8: bytes) }
    var isMalformed = false
    let unescaped = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      count = unescape(bytes, into: buffer)
      isMalformed = count < 0
      count = max(count, 0)
    }
    guard !isMalformed else { throw .malformed(.percentEncoding) }
    return unescaped.withUnsafeBufferPointer { String(utf8: $0) }
  }

  /// Writes bytes with their escapes decoded, and returns their number; -1 if an escape is malformed.
  private static func unescape(
    _ bytes: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var index = 0
    var count = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "+"):
        buffer[count] = UInt8(ascii: " ")
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count,
          let high = bytes[index + 1].hexadecimalValue,
          let low = bytes[index + 2].hexadecimalValue
        else { return -1 }
        buffer[count] = high << 4 | low
        index += 2
      case let byte:
        buffer[count] = byte
      }
      index += 1
      count += 1
    }
    return count
  }
}
