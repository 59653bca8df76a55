package import HTTPTypes

/// The reason why a request failed, readable by programs and people (RFC 9457).
package struct ProblemDetails: Sendable {
  /// An error in one field of the request body.
  package struct FieldError: Hashable, Sendable {
    /// The position of the field in the body, as a JSON pointer (RFC 6901).
    package var pointer: String
    /// The error, for programs.
    package var code: String
    /// The error, for people.
    package var detail: String

    /// Makes a field error.
    ///
    /// - Parameters:
    ///   - pointer: The position of the field in the body, as a JSON pointer.
    ///   - code: The error, for programs.
    ///   - detail: The error, for people.
    package init(pointer: String, code: String, detail: String) {
      self.pointer = pointer
      self.code = code
      self.detail = detail
    }
  }

  /// The last segment of the type: `not-found` in `/problems/not-found`.
  package var name: String
  /// The title of the type, for people.
  package var title: String
  /// The status of the response.
  package var status: HTTPResponse.Status
  /// An explanation of this occurrence, and what to do about it.
  package var detail: String
  /// The value that the client may have meant; an extension member (RFC 9457 §3.2).
  package var suggestion: String?
  /// The errors in single fields of the body.
  package var errors: [FieldError] = []
  /// Additional header fields of the response, for example `Retry-After` or `Allow`.
  package var fields = FieldList()

  /// Makes problem details.
  ///
  /// - Parameters:
  ///   - name: The last segment of the type.
  ///   - title: The title of the type, for people.
  ///   - status: The status of the response.
  ///   - detail: An explanation of this occurrence, and what to do about it; it must not repeat
  ///     anything the client sent.
  package init(name: String, title: String, status: HTTPResponse.Status, detail: String) {
    self.name = name
    self.title = title
    self.status = status
    self.detail = detail
  }

  /// The JSON response when no request is known; it has no member `instance`.
  package var response: Response { response(at: nil) }

  /// Makes the JSON response to a request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response. Its member `instance` is the path of the request; it is omitted if
  ///   the path is too long or could contain an email address.
  package func response(to request: Request) -> Response {
    response(at: Self.isPlain(request.path) ? request.path : nil)
  }

  private func response(at instance: String?) -> Response {
    var json = JSONText()
    json.object { object in
      object.member("type", "/problems/\(name)")
      object.member("title", title)
      object.member("status", status.code)
      object.member("detail", detail)
      if let suggestion { object.member("suggestion", suggestion) }
      if let instance { object.member("instance", instance) }
      if !errors.isEmpty {
        object.array("errors", errors) { error, element in
          element.member("pointer", error.pointer)
          element.member("code", error.code)
          element.member("detail", error.detail)
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
      && path.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
          UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
          true
        default: false
        }
      }
  }
}

extension ProblemDetails {
  /// No route matches the path.
  package static let notFound = ProblemDetails(
    name: "not-found",
    title: "Not found",
    status: .notFound,
    detail: "There is nothing at this path."
  )

  /// Makes the problem for a path that does not allow the method.
  ///
  /// - Parameter allowed: The methods that the path allows.
  /// - Returns: The problem, with an `Allow` field (RFC 9110 §15.5.6).
  package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> ProblemDetails {
    var problem = ProblemDetails(
      name: "method-not-allowed",
      title: "Method not allowed",
      status: .methodNotAllowed,
      detail: "Method not allowed for this path."
    )
    problem.fields[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
    return problem
  }

  /// Makes the problem for a request head that is contradictory, ambiguous, or invalid.
  ///
  /// - Parameter detail: What is wrong with the head, for people.
  /// - Returns: The problem.
  package static func malformedRequest(_ detail: String) -> ProblemDetails {
    ProblemDetails(
      name: "malformed-request",
      title: "Malformed request",
      status: .badRequest,
      detail: detail
    )
  }

  /// Makes the problem for a request body that exceeds the server's limit.
  ///
  /// - Parameter maximumBodyBytes: The limit, in bytes.
  /// - Returns: The problem.
  package static func tooLarge(maximumBodyBytes: Int) -> ProblemDetails {
    ProblemDetails(
      name: "too-large",
      title: "Content too large",
      status: .contentTooLarge,
      detail: "The request body exceeds \(maximumBodyBytes) bytes."
    )
  }

  /// The request target exceeds the server's limit.
  package static let targetTooLong = ProblemDetails(
    name: "uri-too-long",
    title: "URI too long",
    status: .uriTooLong,
    detail: "The request target is too long."
  )

  /// The header fields of the request exceed the server's limits.
  package static let fieldsTooLarge = ProblemDetails(
    name: "header-fields-too-large",
    title: "Header fields too large",
    status: .requestHeaderFieldsTooLarge,
    detail: "The request has too many header fields, or they are too long."
  )

  /// The `Expect` field of the request has a value other than `100-continue`.
  package static let expectationFailed = ProblemDetails(
    name: "expectation-failed",
    title: "Expectation failed",
    status: .expectationFailed,
    detail: "The only supported expectation is 100-continue."
  )

  /// The request did not arrive completely before its deadline.
  package static let requestTimeout = ProblemDetails(
    name: "request-timeout",
    title: "Request timeout",
    status: .requestTimeout,
    detail: "The request took too long to arrive."
  )

  /// The limit on open connections is reached, either the total or the one per client.
  package static let tooManyConnections: ProblemDetails = {
    var problem = ProblemDetails(
      name: "too-many-connections",
      title: "Too many connections",
      status: .serviceUnavailable,
      detail: "Too many connections are open. Try again in a moment."
    )
    problem.fields[.retryAfter] = "5"
    return problem
  }()

  /// The memory reserved for bodies that are still arriving is exhausted.
  package static let tooManyBodies: ProblemDetails = {
    var problem = ProblemDetails(
      name: "too-many-bodies",
      title: "Too many requests are arriving",
      status: .serviceUnavailable,
      detail: "Too many requests are arriving slowly. Try again in a moment."
    )
    problem.fields[.retryAfter] = "5"
    return problem
  }()

  /// The limit on event streams is reached, either the total or the one per client.
  package static let tooManyStreams: ProblemDetails = {
    var problem = ProblemDetails(
      name: "too-many-streams",
      title: "Too many event streams",
      status: .serviceUnavailable,
      detail: "Too many event streams are open. Close one, or try again later."
    )
    problem.fields[.retryAfter] = "30"
    return problem
  }()

  /// An exchange was released without a response, which is a bug in this program.
  static let internalError = ProblemDetails(
    name: "internal",
    title: "Internal error",
    status: .internalServerError,
    detail: "An internal error occurred. The request may or may not have been processed."
  )
}
