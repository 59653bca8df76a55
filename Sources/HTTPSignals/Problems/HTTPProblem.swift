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
