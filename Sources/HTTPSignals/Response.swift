package import HTTPTypes

/// What a client is answered.
package struct Response: Sendable {
  /// The status.
  package var status: HTTPResponse.Status
  /// The header fields; the length is not one of them, the transport knows it.
  package var fields: HTTPFields
  /// The content.
  package var body: ResponseBody

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - fields: The header fields.
  ///   - body: The content.
  package init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: ResponseBody = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Makes a response with a JSON text.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - json: The text.
  /// - Returns: The response, which is not to be stored by caches.
  package static func json(_ status: HTTPResponse.Status, _ json: JSONText) -> Response {
    var fields = HTTPFields()
    // Room for what is added on the way, so that it grows once.
    fields.reserveCapacity(6)
    fields.append(.json)
    fields.append(.notStored)
    return Response(status: status, fields: fields, body: .bytes(json.bytes))
  }
}

extension HTTPField {
  // Made once: the characters of a value are looked at whenever it is made a field.
  fileprivate static let json = HTTPField(name: .contentType, value: "application/json")
  static let problem = HTTPField(name: .contentType, value: "application/problem+json")
  static let notStored = HTTPField(name: .cacheControl, value: "no-store")
}

/// The content of a response.
package enum ResponseBody: Sendable {
  /// No content.
  case none
  /// All of it, now.
  case bytes([UInt8])
  /// Server-sent events, for as long as they come.
  case events(EventStream)
}
