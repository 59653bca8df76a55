package import HTTPSignals
package import HTTPTypes

extension Request {
  /// Makes a request that the client sent directly, without a proxy.
  package convenience init(
    method: HTTPRequest.Method, path: String, query: FieldList = FieldList(),
    fields: FieldList = FieldList(), body: [UInt8] = [], client: ClientAddress = .local
  ) {
    self.init(
      method: method, path: path, query: query, fields: fields, body: body,
      source: RequestSource(client: client))
  }
}
