package import HTTPTypes

// The problems that any service over HTTP has.

extension ProblemDetails {
  /// No route matches the path.
  package static let notFound = ProblemDetails(HTTPProblem.notFound)

  /// Creates the problem for a path that does not allow the method, with an `Allow` field (RFC 9110
  /// §15.5.6).
  package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> ProblemDetails {
    ProblemDetails(
      HTTPProblem.methodNotAllowed,
      fields: [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
  }

  /// Creates the problem for a request head that is contradictory, ambiguous, or invalid.
  package static func malformedRequest(_ text: MalformedRequest) -> ProblemDetails {
    ProblemDetails(HTTPProblem.malformedRequest, text)
  }

  /// Creates the problem for a request body that exceeds the server's limit.
  package static func tooLarge(maximumBodyBytes: Int) -> ProblemDetails {
    ProblemDetails(HTTPProblem.tooLarge, [.init("bytes", maximumBodyBytes)])
  }

  /// The request target exceeds the server's limit.
  package static let targetTooLong = ProblemDetails(HTTPProblem.targetTooLong)

  /// The header fields of the request exceed the server's limits.
  package static let fieldsTooLarge = ProblemDetails(HTTPProblem.fieldsTooLarge)

  /// The `Expect` field of the request has a value other than `100-continue`.
  package static let expectationFailed = ProblemDetails(HTTPProblem.expectationFailed)

  /// The request did not arrive completely before its deadline.
  package static let requestTimeout = ProblemDetails(HTTPProblem.requestTimeout)

  /// The limit on open connections is reached, either the total or the one per client.
  package static let tooManyConnections = ProblemDetails(
    HTTPProblem.tooManyConnections, fields: [.retryAfter: "5"])

  /// The memory reserved for bodies that are still arriving is exhausted.
  package static let tooManyBodies = ProblemDetails(
    HTTPProblem.tooManyBodies, fields: [.retryAfter: "5"])

  /// The limit on event streams is reached, either the total or the one per client.
  package static let tooManyStreams = ProblemDetails(
    HTTPProblem.tooManyStreams, fields: [.retryAfter: "30"])

  /// An exchange was released without a response, which is a bug in this program.
  static let internalError = ProblemDetails(HTTPProblem.internalError)
}

extension BodyError {
  /// The problem for a body that cannot be read.
  package var problem: ProblemDetails {
    switch self {
    case .malformed(let text): ProblemDetails(HTTPProblem.malformedBody, text: text)
    case .unsupportedMediaType: .unsupportedMediaType(accepting: BodyFields.acceptedMediaTypes)
    }
  }
}

extension ProblemDetails {
  /// The media type of a body is not supported; the problem has an `Accept-Post` field (RFC 9110
  /// §15.5.16).
  package static func unsupportedMediaType(accepting types: String) -> ProblemDetails {
    ProblemDetails(
      HTTPProblem.unsupportedMediaType, [.init("types", types)], fields: [.acceptPost: types])
  }
}
