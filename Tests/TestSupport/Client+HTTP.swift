package import Testing

/// The end of a response's body (RFC 9112 §6.3).
enum BodyFraming: Equatable {
  /// The response has no body, or the body has been read.
  case none
  /// The body ends after this number of bytes.
  case length(Int)
  /// The body ends with an empty chunk.
  case chunked
  /// The body ends when the peer closes the connection.
  case close
}

extension Client {
  /// An HTTP response, or only its head.
  package struct Response: Sendable, CustomStringConvertible {
    /// `HTTP/1.1` or `HTTP/1.0`.
    package let version: String
    package let status: Int
    /// The header fields, in their order.
    package let fields: [(name: String, value: String)]
    /// The body; empty when only the head was read.
    package fileprivate(set) var body: [UInt8] = []

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of the first field with a name, in any letter case.
    package subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    package var description: String { "\(status) \(text.prefix(300))" }

    /// The name of the problem that the body describes.
    package var problem: String? {
      text.firstMatch(of: /"type":"\/problems\/([a-z-]+)"/).map { String($0.1) }
    }

    /// The id of the accepted execution.
    package var execution: String {
      self["Location"].map { String($0.dropFirst("/executions/".count)) } ?? "none"
    }

    /// Expects a status, and a problem if it is named.
    @discardableResult
    package func expect(
      _ status: Int, _ problem: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Response {
      #expect(self.status == status, "\(self)", sourceLocation: sourceLocation)
      if let problem { #expect(self.problem == problem, "\(self)", sourceLocation: sourceLocation) }
      return self
    }
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path and the query.
  ///   - host: The value of `Host`.
  ///   - fields: Additional header fields, as lines without line ends.
  ///   - body: The body, which adds a `Content-Length`; `nil` sends none.
  package func request(
    _ method: String, _ path: String, host: String = "localhost", fields: [String] = [],
    body: String? = nil
  ) throws(TestSystemError) {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
  }

  /// Reads a response with its body, and skips interim responses; one to HEAD has no body.
  package func readResponse(
    to method: String = "GET", within time: Duration = patience
  ) throws(TestSystemError) -> Response {
    var response = try readHead(to: method, within: time)
    while let piece = try readBody(within: time) { response.body += piece }
    return response
  }

  /// Reads the head of a response, skips interim responses, and leaves the body unread.
  package func readHead(
    to method: String = "GET", within time: Duration = patience
  ) throws(TestSystemError) -> Response {
    while true {
      let line = try readLine(within: time)
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      guard words.count == 3, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
        throw .malformed(line)
      }
      let response = Response(
        version: String(words[0]), status: status, fields: try readFields(within: time))
      guard status >= 200 else { continue }
      framing = try Self.framing(of: response, to: method)
      decoded = []
      return response
    }
  }

  /// Reads the next part of the body, a chunk or the bytes received so far; `nil` at its end.
  package func readBody(within time: Duration = patience) throws(TestSystemError) -> [UInt8]? {
    switch framing {
    case .none:
      return nil
    case .length(let count):
      framing = .none
      return count > 0 ? try take(count, within: time) : nil
    case .close:
      if let piece = try takeSome(within: time) { return piece }
      framing = .none
      return nil
    case .chunked:
      let size = try readLine(within: time)
      guard let count = Int(size.prefix { $0 != ";" }, radix: 16) else { throw .malformed(size) }
      guard count > 0 else {
        _ = try readFields(within: time)
        framing = .none
        return nil
      }
      let chunk = try take(count, within: time)
      let end = try readLine(within: time)
      guard end.isEmpty else { throw .malformed(end) }
      return chunk
    }
  }

  private func readFields(
    within time: Duration
  ) throws(TestSystemError) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    while true {
      let line = try readLine(within: time)
      if line.isEmpty { return fields }
      guard let colon = line.firstIndex(of: ":") else { throw .malformed(line) }
      let value = line[colon...].dropFirst().drop { $0 == " " }
      fields.append((name: String(line[..<colon]), value: String(value)))
    }
  }

  private static func framing(
    of response: Response, to method: String
  ) throws(TestSystemError) -> BodyFraming {
    if method == "HEAD" || response.status == 204 || response.status == 304 { return .none }
    if response["Transfer-Encoding"]?.lowercased() == "chunked" { return .chunked }
    guard let length = response["Content-Length"] else { return .close }
    guard let count = Int(length), count >= 0 else { throw .malformed(length) }
    return .length(count)
  }
}
