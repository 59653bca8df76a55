package import HTTPTypes

/// A request that has arrived whole.
package final class Request: Sendable {
  /// What is asked for.
  package let method: HTTPRequest.Method
  /// The path as it was sent, percent-encoding and all.
  package let path: String
  /// The pairs of the query, as they were sent.
  package let query: FieldList
  /// The header fields.
  package let fields: FieldList
  /// The content, at most as long as the server accepts.
  package let body: [UInt8]
  /// Who sent it, and how that is known.
  package let source: RequestSource
  /// The client.
  package var client: ClientAddress { source.client }

  /// Makes a request; the bridge does, and tests.
  package init(
    method: HTTPRequest.Method,
    path: String,
    query: FieldList = FieldList(),
    fields: FieldList = FieldList(),
    body: [UInt8] = [],
    source: RequestSource
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.source = source
  }

  /// Makes a request that its client sent without a proxy.
  package convenience init(
    method: HTTPRequest.Method,
    path: String,
    query: FieldList = FieldList(),
    fields: FieldList = FieldList(),
    body: [UInt8] = [],
    client: ClientAddress = .local
  ) {
    self.init(
      method: method,
      path: path,
      query: query,
      fields: fields,
      body: body,
      source: RequestSource(client: client)
    )
  }

  /// One segment of the path, percent-decoding not applied.
  ///
  /// - Parameter index: 0 is the first; in `/executions/4jd9` the id is segment 1.
  /// - Returns: The segment; `nil` when the path is shorter.
  package func segment(_ index: Int) -> Substring? {
    // Only what comes before it is looked at: a path may be long, and all slashes.
    let segments = path.utf8.split(
      separator: UInt8(ascii: "/"),
      maxSplits: index + 2,
      omittingEmptySubsequences: false
    )
    return index + 1 < segments.count ? Substring(segments[index + 1]) : nil
  }
}
