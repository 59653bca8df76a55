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

/// An HTTP response, or only its head.
package struct TestResponse: Sendable {
  /// The version, `HTTP/1.1` or `HTTP/1.0`.
  package let version: String
  /// The status code.
  package let status: Int
  /// The header fields, in their order.
  package let fields: [(name: String, value: String)]
  /// The body; empty when only the head was read.
  package fileprivate(set) var body: [UInt8] = []

  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The value of a field.
  ///
  /// - Parameter name: The name of the field, in any letter case.
  /// - Returns: The value of the first such field.
  package subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

extension SocketClient {
  /// Sends a request with the required header fields.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path and the query.
  ///   - host: The value of `Host`.
  ///   - fields: Additional header fields, as lines without line ends.
  ///   - body: The body, which adds a `Content-Length`; `nil` sends none.
  /// - Throws: `TestSystemError`.
  package func request(
    _ method: String, _ path: String, host: String = "localhost", fields: [String] = [],
    body: String? = nil
  ) throws(TestSystemError) {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
  }

  /// Reads a response with its body, and skips interim responses.
  ///
  /// - Parameters:
  ///   - method: The request's method; a response to HEAD has no body.
  ///   - deadline: The time by which the response must be complete.
  /// - Returns: The response.
  /// - Throws: `TestSystemError`.
  package func readResponse(
    to method: String = "GET", by deadline: Deadline = .soon
  ) throws(TestSystemError) -> TestResponse {
    var response = try readHead(to: method, by: deadline)
    while let piece = try readBody(by: deadline) { response.body += piece }
    return response
  }

  /// Reads the head of a response, skips interim responses, and leaves the body unread.
  ///
  /// - Parameters:
  ///   - method: The request's method; a response to HEAD has no body.
  ///   - deadline: The time by which the head must be complete.
  /// - Returns: The response without its body.
  /// - Throws: `TestSystemError`.
  package func readHead(
    to method: String = "GET", by deadline: Deadline = .soon
  ) throws(TestSystemError) -> TestResponse {
    while true {
      let line = try readLine(by: deadline)
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      guard words.count == 3, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
        throw .malformed(line)
      }
      let response = TestResponse(
        version: String(words[0]), status: status, fields: try readFields(by: deadline))
      guard status >= 200 else { continue }
      framing = try Self.framing(of: response, to: method)
      decoded = []
      return response
    }
  }

  /// Reads the next part of the body: a chunk, or the bytes received so far.
  ///
  /// - Parameter deadline: The time by which the part must arrive.
  /// - Returns: The part; `nil` at the end of the body.
  /// - Throws: `TestSystemError`; `.closed` if the connection ends before the body.
  package func readBody(by deadline: Deadline = .soon) throws(TestSystemError) -> [UInt8]? {
    switch framing {
    case .none:
      return nil
    case .length(let count):
      framing = .none
      return count > 0 ? try take(count, by: deadline) : nil
    case .close:
      if let piece = try takeSome(by: deadline) { return piece }
      framing = .none
      return nil
    case .chunked:
      let size = try readLine(by: deadline)
      guard let count = Int(size.prefix { $0 != ";" }, radix: 16) else { throw .malformed(size) }
      guard count > 0 else {
        _ = try readFields(by: deadline)
        framing = .none
        return nil
      }
      let chunk = try take(count, by: deadline)
      let end = try readLine(by: deadline)
      guard end.isEmpty else { throw .malformed(end) }
      return chunk
    }
  }

  private func readFields(
    by deadline: Deadline
  ) throws(TestSystemError) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    while true {
      let line = try readLine(by: deadline)
      if line.isEmpty { return fields }
      guard let colon = line.firstIndex(of: ":") else { throw .malformed(line) }
      let value = line[colon...].dropFirst().drop { $0 == " " }
      fields.append((name: String(line[..<colon]), value: String(value)))
    }
  }

  private static func framing(
    of response: TestResponse, to method: String
  ) throws(TestSystemError) -> BodyFraming {
    if method == "HEAD" || response.status == 204 || response.status == 304 { return .none }
    if response["Transfer-Encoding"]?.lowercased() == "chunked" { return .chunked }
    guard let length = response["Content-Length"] else { return .close }
    guard let count = Int(length), count >= 0 else { throw .malformed(length) }
    return .length(count)
  }
}
