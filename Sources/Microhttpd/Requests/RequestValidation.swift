internal import Platform
internal import HTTPSignals
internal import HTTPTypes

/// The checks of a request's head, before any other code uses it.
///
/// libmicrohttpd accepts ambiguous heads, 0.9 more of them than 1.0. A proxy in front and the server
/// behind it may read such a head in different ways and disagree about where the request ends:
/// request smuggling (RFC 9112 §11.2). An ambiguous request is rejected and its connection closed,
/// so that no byte of the rest is read as another request.
enum RequestValidation {
  /// Returns whether the head leaves enough memory of its connection for the head of any response.
  static func leavesRoomForResponse(_ head: RequestHead, _ limits: RequestLimits) -> Bool {
    max(head.byteCount, head.memoryBytes) <= limits.maximumHeadBytes
      && head.fields.count + head.query.count <= RequestLimits.maximumPairCount
  }

  /// Returns the first problem that was found; `nil` for a valid and unambiguous head.
  static func problem(in head: RequestHead, _ limits: RequestLimits) -> ProblemDetails? {
    guard head.targetBytes <= limits.maximumHeadBytes / 2 else { return .targetTooLong }
    guard head.method != nil else { return .malformedRequest(.method) }
    // With a space before its colon, a name differs from the one that another program reads.
    guard head.fields.namesAreTokens else { return .malformedRequest(.fieldName) }
    guard head.isWellFormed else { return .malformedRequest(.headByte) }
    return problem(in: head.fields, isHTTP10: head.isHTTP10)
  }

  private static func problem(in fields: FieldList, isHTTP10: Bool) -> ProblemDetails? {
    let lengthCount = fields.count(of: .contentLength)
    guard lengthCount <= 1 else {
      return .malformedRequest(.severalContentLengths)
    }
    let encodings = fields.values(of: .transferEncoding)
    if let encoding = encodings.first {
      guard encodings.count == 1, encoding.lowercased() == "chunked", !isHTTP10 else {
        return .malformedRequest(.transferEncoding)
      }
      guard lengthCount == 0 else {
        return .malformedRequest(.lengthAndEncoding)
      }
    }
    switch fields.count(of: .hostField) {
    case 0 where isHTTP10: break
    case 1 where fields.first(.hostField)?.isEmpty == false: break
    default: return .malformedRequest(.host)
    }
    // An expectation in an HTTP/1.0 request must be ignored (RFC 9110 §10.1.1).
    guard isHTTP10 || fields.values(of: .expect).allSatisfy({ $0.lowercased() == "100-continue" })
    else { return .expectationFailed }
    return nil
  }
}
