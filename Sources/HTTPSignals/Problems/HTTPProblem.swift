package import HTTPTypes

/// A type of problem: the last segment of its URI, which has a title, and its status.
package protocol ProblemType: CaseIterable, RawRepresentable<String>, Sendable {
  var status: HTTPResponse.Status { get }
}

/// The types of problems that any service over HTTP has.
package enum HTTPProblem: String, ProblemType {
  case malformedBody = "malformed-body"
  case malformedRequest = "malformed-request"
  case notFound = "not-found"
  case methodNotAllowed = "method-not-allowed"
  case requestTimeout = "request-timeout"
  case tooLarge = "too-large"
  case targetTooLong = "uri-too-long"
  case unsupportedMediaType = "unsupported-media-type"
  case expectationFailed = "expectation-failed"
  case fieldsTooLarge = "header-fields-too-large"
  case internalError = "internal"
  case tooManyConnections = "too-many-connections"
  case tooManyBodies = "too-many-bodies"
  case tooManyStreams = "too-many-streams"

  package var status: HTTPResponse.Status {
    switch self {
    case .malformedBody, .malformedRequest: .badRequest
    case .notFound: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .requestTimeout: .requestTimeout
    case .tooLarge: .contentTooLarge
    case .targetTooLong: .uriTooLong
    case .unsupportedMediaType: .unsupportedMediaType
    case .expectationFailed: .expectationFailed
    case .fieldsTooLarge: .requestHeaderFieldsTooLarge
    case .internalError: .internalServerError
    case .tooManyConnections, .tooManyBodies, .tooManyStreams: .serviceUnavailable
    }
  }
}

/// The texts of `malformed-request`: the errors in the head of a request.
package enum MalformedRequest: String, TextKey {
  case method = "problem.malformed-request.method"
  case targetByte = "problem.malformed-request.target-byte"
  case target = "problem.malformed-request.target"
  case headByte = "problem.malformed-request.head-byte"
  case fieldName = "problem.malformed-request.field-name"
  case severalContentLengths = "problem.malformed-request.several-content-lengths"
  case transferEncoding = "problem.malformed-request.transfer-encoding"
  case lengthAndEncoding = "problem.malformed-request.length-and-encoding"
  case host = "problem.malformed-request.host"
}

/// The texts of `malformed-body`: the errors in the body of a request.
package enum MalformedBody: String, TextKey {
  /// Its argument is `count`, the limit.
  case tooManyParameters = "problem.malformed-body.too-many-parameters"
  /// Its argument is `count`, the limit.
  case tooManyFields = "problem.malformed-body.too-many-fields"
  /// Its argument is `bytes`, the limit.
  case longFieldName = "problem.malformed-body.long-field-name"
  /// Its argument is `name`, the name of a field that the service expects.
  case repeatedField = "problem.malformed-body.repeated-field"
  /// Its argument is `name`, as the client sent it.
  case damagedField = "problem.malformed-body.damaged-field"
  case fieldName = "problem.malformed-body.field-name"
  case percentEncoding = "problem.malformed-body.percent-encoding"
  case notJSON = "problem.malformed-body.not-json"
  case notObject = "problem.malformed-body.not-object"
  case repeatedMember = "problem.malformed-body.repeated-member"
  case memberName = "problem.malformed-body.member-name"
  case jsonString = "problem.malformed-body.json-string"
  case jsonDepth = "problem.malformed-body.json-depth"
  /// Its argument is `count`, the limit.
  case tooManyNestedValues = "problem.malformed-body.too-many-nested-values"
  case notMultipart = "problem.malformed-body.not-multipart"
  case boundary = "problem.malformed-body.boundary"
  case partName = "problem.malformed-body.part-name"
  case tooManyPartFields = "problem.malformed-body.too-many-part-fields"
  case tooManyPartParameters = "problem.malformed-body.too-many-part-parameters"
}

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
