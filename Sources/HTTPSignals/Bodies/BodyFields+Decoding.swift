internal import HTTPTypes

extension BodyFields {
  /// The supported media types, in the format of `Accept-Post`.
  package static let acceptedMediaTypes =
    "application/json, application/x-www-form-urlencoded, multipart/form-data"

  /// Decodes the body of a request according to its media type.
  ///
  /// - Throws: `BodyError`; `unsupportedMediaType` also if there is no `Content-Type`.
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
