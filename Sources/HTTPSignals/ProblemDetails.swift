package import HTTPTypes
internal import Platform

/// The reason why a request failed, readable by programs and people (RFC 9457).
package struct ProblemDetails: Error {
  /// An error in one field of the request body; for people, it has the text of the problem.
  package struct FieldError: Hashable, Sendable {
    /// The position of the field in the body, as a JSON pointer (RFC 6901).
    package var pointer: String
    package var code: String

    package init(pointer: String, code: String) {
      self.pointer = pointer
      self.code = code
    }
  }

  /// The last segment of the type: `not-found` in `/problems/not-found`.
  package let name: String
  package let status: HTTPResponse.Status
  /// The explanation of this occurrence, and what to do about it.
  package let text: ProblemText
  /// Additional header fields of the response, for example `Retry-After` or `Allow`.
  package let fields: FieldList
  package let errors: [FieldError]
  /// The value that the client may have meant; an extension member (RFC 9457 §3.2).
  package var suggestion: String?
  /// The number of attempts that the client has left; an extension member (RFC 9457 §3.2).
  package var triesLeft: Int?
  /// The part of the service that is not ready; an extension member (RFC 9457 §3.2).
  package var part: String?
  /// The time since which that part is not ready (RFC 3339); an extension member.
  package var since: String?

  /// The text must not repeat what the client sent, except for the name of a field.
  package init(
    _ type: some ProblemType, text: ProblemText, fields: FieldList = FieldList(),
    errors: [FieldError] = []
  ) {
    name = type.rawValue
    status = type.status
    self.text = text
    self.fields = fields
    self.errors = errors
  }

  package init(
    _ type: some ProblemType, _ arguments: [ProblemText.Argument] = [],
    fields: FieldList = FieldList(), errors: [FieldError] = []
  ) {
    self.init(type, text: ProblemText(of: type, arguments), fields: fields, errors: errors)
  }

  /// Creates problem details with one of the texts of their type, which has no arguments.
  package init(
    _ type: some ProblemType, _ key: some TextKey, fields: FieldList = FieldList(),
    errors: [FieldError] = []
  ) {
    self.init(type, text: ProblemText(key), fields: fields, errors: errors)
  }

  package var titleKey: String { "problem.\(name).title" }

  /// Creates the JSON response, whose member `instance` is the path of the request.
  ///
  /// It is omitted if no request has arrived, and if the path is too long, could contain an email
  /// address, or must not be repeated.
  package func response(to request: Request?, title: String, detail: String) -> Response {
    var json = JSONText()
    json.object { object in
      object.member("type", "/problems/\(name)")
      object.member("title", title)
      object.member("status", status.code)
      object.member("detail", detail)
      if let suggestion { object.member("suggestion", suggestion) }
      if let triesLeft { object.member("triesLeft", triesLeft) }
      if let part { object.member("part", part) }
      if let since { object.member("since", since) }
      if let path = request?.path, Self.isPlain(path) { object.member("instance", path) }
      if !errors.isEmpty {
        object.array("errors", errors) { error, element in
          element.member("pointer", error.pointer)
          element.member("code", error.code)
          element.member("detail", detail)
        }
      }
    }
    var fields = FieldList()
    fields.append(.contentType, "application/problem+json")
    fields.append(.cacheControl, "no-store")
    fields.append(contentsOf: self.fields)
    return Response(status: status, fields: fields, body: .bytes(json.bytes))
  }

  /// Whether a path is short and has only slashes and unreserved characters (RFC 3986 §2.3).
  ///
  /// A response never repeats any other path, because it may contain an email address. No path of
  /// the service is longer than 256 bytes.
  private static func isPlain(_ path: String) -> Bool {
    path.utf8.count <= 256 && path.utf8.first == UInt8(ascii: "/")
      && path.allBytes { byte in
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "~"):
          true
        default: byte.isASCIILetter || byte.isASCIIDigit
        }
      }
  }
}

/// A key of a text for people.
///
/// The program that responds has the texts, in the languages of its clients. Only an enum of keys
/// can be the text of a problem, so the keys in use can be listed.
package protocol TextKey: CaseIterable, Sendable {
  /// For example `problem.too-large.detail`.
  var key: String { get }
}

extension TextKey where Self: RawRepresentable<String> {
  package var key: String { rawValue }
}

/// The text of a problem: its key, and the values of its arguments.
///
/// A value must not be anything that the client sent.
package struct ProblemText: Hashable, Sendable {
  package struct Argument: Hashable, Sendable {
    /// The name: `bytes` is written as `{bytes}` in the text.
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    package init(_ name: String, _ value: Int) {
      self.init(name, String(value))
    }
  }

  package let key: String
  package let arguments: [Argument]

  package init(of type: some ProblemType, _ arguments: [Argument] = []) {
    key = "problem.\(type.rawValue).detail"
    self.arguments = arguments
  }

  package init(_ key: some TextKey, _ arguments: [Argument] = []) {
    self.key = key.key
    self.arguments = arguments
  }
}

/// A type of problem: the last segment of its URI, which has a title, and its status.
package protocol ProblemType: CaseIterable, RawRepresentable<String>, Sendable {
  var status: HTTPResponse.Status { get }
}

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

extension ProblemDetails {
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

  package static let targetTooLong = ProblemDetails(HTTPProblem.targetTooLong)

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

  /// Creates the problem for a media type that is not supported, with an `Accept-Post` field (RFC
  /// 9110 §15.5.16).
  package static func unsupportedMediaType(accepting types: String) -> ProblemDetails {
    ProblemDetails(
      HTTPProblem.unsupportedMediaType, [.init("types", types)], fields: [.acceptPost: types])
  }
}

extension BodyError {
  package var problem: ProblemDetails {
    switch self {
    case .malformed(let text): ProblemDetails(HTTPProblem.malformedBody, text: text)
    case .unsupportedMediaType: .unsupportedMediaType(accepting: BodyFields.acceptedMediaTypes)
    }
  }
}
