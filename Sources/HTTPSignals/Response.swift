package import HTTPTypes

/// The response to a request.
package struct Response: Sendable {
  /// The status.
  package var status: HTTPResponse.Status
  /// The header fields, without `Content-Length`, which the transport adds.
  package var fields: HTTPFields
  /// The body.
  package var body: ResponseBody

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - fields: The header fields.
  ///   - body: The body.
  package init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: ResponseBody = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Makes a response with a JSON body.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - json: The JSON text.
  /// - Returns: The response, with `Cache-Control: no-store`.
  package static func json(_ status: HTTPResponse.Status, _ json: JSONText) -> Response {
    var fields = HTTPFields()
    // Leaves room for the fields that are added later, so the storage is allocated once.
    fields.reserveCapacity(6)
    fields.append(.json)
    fields.append(.notStored)
    return Response(status: status, fields: fields, body: .bytes(json.bytes))
  }
}

extension HTTPField {
  // Made once, because HTTPField validates the characters of its value each time it is made.
  fileprivate static let json = HTTPField(name: .contentType, value: "application/json")
  static let problem = HTTPField(name: .contentType, value: "application/problem+json")
  static let notStored = HTTPField(name: .cacheControl, value: "no-store")
}

/// The body of a response.
package enum ResponseBody: Sendable {
  /// No body.
  case none
  /// A complete body.
  case bytes([UInt8])
  /// Server-sent events, until the stream ends.
  case events(EventStream)
}
