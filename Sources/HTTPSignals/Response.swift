package import HTTPTypes

/// The response to a request.
package struct Response: Sendable {
  package var status: HTTPResponse.Status
  /// The header fields, without `Content-Length`, which the transport adds.
  package var fields: FieldList
  package var body: ResponseBody

  package init(
    status: HTTPResponse.Status, fields: FieldList = FieldList(), body: ResponseBody = .none
  ) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  package static func json(_ status: HTTPResponse.Status, _ json: JSONText) -> Response {
    var fields = FieldList()
    fields.append(.contentType, "application/json")
    fields.append(.cacheControl, "no-store")
    return Response(status: status, fields: fields, body: .bytes(json.bytes))
  }
}

/// The body of a response.
package enum ResponseBody: Sendable {
  case none
  /// A complete body.
  case bytes([UInt8])
  /// Server-sent events, until the stream ends.
  case events(EventStream)
}
