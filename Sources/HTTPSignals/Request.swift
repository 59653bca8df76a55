package import HTTPTypes

/// A request that has been received completely.
package final class Request: Sendable {
  package let method: HTTPRequest.Method
  /// The path as sent, still percent-encoded.
  package let path: String
  /// The name-value pairs of the query, as sent.
  package let query: FieldList
  package let fields: FieldList
  /// The body, no longer than the server's limit.
  package let body: [UInt8]
  /// The client, and how the server identified it.
  package let source: RequestSource
  package var client: ClientAddress { source.client }

  /// Creates a request; only Microhttpd and tests do.
  package init(
    method: HTTPRequest.Method, path: String, query: FieldList = FieldList(),
    fields: FieldList = FieldList(), body: [UInt8] = [], source: RequestSource
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.source = source
  }

  /// Creates a request that the client sent directly, without a proxy.
  package convenience init(
    method: HTTPRequest.Method, path: String, query: FieldList = FieldList(),
    fields: FieldList = FieldList(), body: [UInt8] = [], client: ClientAddress = .local
  ) {
    self.init(
      method: method, path: path, query: query, fields: fields, body: body,
      source: RequestSource(client: client))
  }
}
