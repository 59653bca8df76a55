internal import HTTPSignals

/// What is looked at in the head of a request before anything is done with it.
///
/// libmicrohttpd 0.9.75 takes heads that two programs can read in two ways, and so a proxy in front
/// and the server behind it may disagree about where a request ends: request smuggling (RFC 9112
/// §11.2). Such a request is rejected and its connection closed, so that nothing of the rest is read
/// as another request.
enum RequestValidation {
  /// Looks at a head.
  ///
  /// - Parameters:
  ///   - head: The head.
  ///   - configuration: The limits.
  /// - Returns: What is wrong; `nil` for a head that can only be read in one way.
  static func problem(
    in head: RequestHead,
    _ configuration: Daemon.Configuration
  ) -> ProblemDetails? {
    let maximumBytes = configuration.maximumHeadBytes
    let maximumCount = Daemon.Configuration.maximumPairCount
    guard head.targetBytes <= maximumBytes / 2, head.query.count <= maximumCount else {
      return .targetTooLong
    }
    guard head.memoryBytes <= maximumBytes,
      head.fields.count + head.query.count <= maximumCount,
      head.leavesRoomForResponse(in: configuration.connectionMemoryBytes)
    else { return .fieldsTooLarge }
    guard head.method != nil else { return .malformedRequest("The method is no token.") }
    guard head.target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return .malformedRequest("The target has a byte that has to be percent-encoded.")
    }
    switch head.finding {
    case .wellFormed: break
    case .malformed:
      return .malformedRequest("The head has a character or a line end that it cannot have.")
    case .inPieces:
      // A space before the colon makes another name of it, which the next program may not see.
      guard head.fields.namesAreTokens else {
        return .malformedRequest("The name of a header field has a character that it cannot have.")
      }
    }
    return problem(in: head.fields, isHTTP10: head.isHTTP10)
  }

  private static func problem(in fields: FieldList, isHTTP10: Bool) -> ProblemDetails? {
    let lengthCount = fields.count(of: "content-length")
    guard lengthCount <= 1 else {
      return .malformedRequest("Content-Length is given more than once.")
    }
    let encodings = fields.values(of: "transfer-encoding")
    if let encoding = encodings.first {
      guard encodings.count == 1, encoding.lowercased() == "chunked", !isHTTP10 else {
        return .malformedRequest("The only Transfer-Encoding is chunked, once, in HTTP/1.1.")
      }
      guard lengthCount == 0 else {
        return .malformedRequest("Content-Length and Transfer-Encoding exclude each other.")
      }
    }
    switch fields.count(of: "host") {
    case 0 where isHTTP10: break
    case 1 where fields.first("host")?.isEmpty == false: break
    default: return .malformedRequest("Host has to be given once.")
    }
    // An HTTP/1.0 program has no expectations (RFC 9110 §10.1.1).
    guard isHTTP10 || fields.values(of: "expect").allSatisfy({ $0.lowercased() == "100-continue" })
    else { return .expectationFailed }
    return nil
  }
}
