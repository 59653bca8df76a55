internal import HTTPTypes

extension BodyFields {
  /// The media types that are read, as `Accept-Post` lists them.
  package static let acceptedMediaTypes = "application/json, application/x-www-form-urlencoded"

  /// Reads the body of a request by its media type.
  ///
  /// - Parameter request: The request.
  /// - Returns: Its fields.
  /// - Throws: `BodyError`; `unsupportedMediaType` also when there is no `Content-Type`.
  package static func decode(_ request: Request) throws(BodyError) -> BodyFields {
    guard let contentType = request.field(.contentType) else { throw .unsupportedMediaType }
    let parts = contentType.split(separator: ";")
    guard let mediaType = parts.first else { throw .unsupportedMediaType }
    for parameter in parts.dropFirst() where !isAcceptable(parameter) {
      throw .unsupportedMediaType
    }
    switch trim(mediaType).lowercased() {
    case "application/json": return try FlatJSONReader.decode(request.body)
    case "application/x-www-form-urlencoded": return try FormDecoder.decode(request.body)
    default: throw .unsupportedMediaType
    }
  }

  /// Any parameter is, save a `charset` that is not UTF-8.
  private static func isAcceptable(_ parameter: Substring) -> Bool {
    let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard pair.count == 2, trim(pair[0]).lowercased() == "charset" else { return true }
    let charset = trim(pair[1]).lowercased()
    return charset == "utf-8" || charset == "\"utf-8\""
  }

  /// Takes the optional white space of RFC 9110 §5.6.3 off both ends.
  private static func trim(_ text: Substring) -> Substring {
    var text = text
    while text.utf8.first == 0x20 || text.utf8.first == 0x09 { text = text.dropFirst() }
    while text.utf8.last == 0x20 || text.utf8.last == 0x09 { text = text.dropLast() }
    return text
  }
}
