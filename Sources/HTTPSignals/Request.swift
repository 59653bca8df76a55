package import HTTPTypes

/// A request that has arrived whole.
package final class Request: Sendable {
  /// What is asked for.
  package let method: HTTPRequest.Method
  /// The path as it was sent, percent-encoding and all.
  package let path: String
  /// The pairs of the query, as they were sent.
  package let query: NameValuePairs
  /// The header fields.
  package let fields: NameValuePairs
  /// The content, at most as long as the server accepts.
  package let body: [UInt8]
  /// Who asks.
  package let client: ClientAddress

  /// Makes a request; the bridge does, and tests.
  package init(
    method: HTTPRequest.Method,
    path: String,
    query: NameValuePairs = NameValuePairs(),
    fields: NameValuePairs = NameValuePairs(),
    body: [UInt8] = [],
    client: ClientAddress = .local
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.client = client
  }

  /// One segment of the path, percent-decoding not applied.
  ///
  /// - Parameter index: 0 is the first; in `/executions/4jd9` the id is segment 1.
  /// - Returns: The segment; `nil` when the path is shorter.
  package func segment(_ index: Int) -> Substring? {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    return index + 1 < segments.count ? segments[index + 1] : nil
  }
}
