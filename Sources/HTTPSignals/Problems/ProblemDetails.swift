package import HTTPTypes

/// Why a request was not done, in a form that programs and people can read (RFC 9457).
package struct ProblemDetails: Sendable {
  /// What is wrong with one field of the content.
  package struct FieldError: Hashable, Sendable {
    /// Where in the content, as a JSON pointer (RFC 6901).
    package var pointer: String
    /// What is wrong, for programs.
    package var code: String
    /// What is wrong, for people.
    package var detail: String

    /// Makes the description of one error.
    ///
    /// - Parameters:
    ///   - pointer: Where in the content.
    ///   - code: What is wrong, for programs.
    ///   - detail: What is wrong, for people.
    package init(pointer: String, code: String, detail: String) {
      self.pointer = pointer
      self.code = code
      self.detail = detail
    }
  }

  /// The last part of the type, as in `/problems/not-found`.
  package var name: String
  /// The name of the type for people.
  package var title: String
  /// The status of the response.
  package var status: HTTPResponse.Status
  /// What happened this time, and what to do.
  package var detail: String
  /// What the client may have meant; an extension member (RFC 9457 §3.2).
  package var suggestion: String?
  /// Errors of single fields.
  package var errors: [FieldError] = []
  /// Header fields that belong to the answer, `Retry-After` or `Allow`.
  package var fields: HTTPFields = [:]

  /// Makes problem details.
  ///
  /// - Parameters:
  ///   - name: The last part of the type.
  ///   - title: The name of the type for people.
  ///   - status: The status of the response.
  ///   - detail: What happened this time, and what to do; never what the client sent.
  package init(name: String, title: String, status: HTTPResponse.Status, detail: String) {
    self.name = name
    self.title = title
    self.status = status
    self.detail = detail
  }

  /// The answer where nothing is known of the request.
  package var response: Response { response(at: nil) }

  /// The answer, which says where it happened.
  ///
  /// - Parameter request: What was asked.
  /// - Returns: The answer.
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
    var fields = fields
    fields.reserveCapacity(6)
    fields.append(.problem)
    fields.append(.notStored)
    return Response(status: status, fields: fields, body: .bytes(json.bytes))
  }

  /// Whether a path is made of slashes and unreserved characters (RFC 3986 §2.3) only.
  ///
  /// Another one is not repeated to anybody, since it may hold an address. Nor is one that is longer
  /// than any of the service's.
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
  /// No resource has this path.
  package static let notFound = ProblemDetails(
    name: "not-found",
    title: "Not found",
    status: .notFound,
    detail: "There is nothing at this path."
  )

  /// The resource does not know the method.
  ///
  /// - Parameter allowed: The methods that it knows.
  /// - Returns: The problem, with an `Allow` field (RFC 9110 §15.5.6).
  package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> ProblemDetails {
    var problem = ProblemDetails(
      name: "method-not-allowed",
      title: "Method not allowed",
      status: .methodNotAllowed,
      detail: "This path does not know that method."
    )
    problem.fields[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
    return problem
  }

  /// The head of the request says two things at once, or nothing that can be relied on.
  ///
  /// - Parameter detail: What is wrong with it.
  /// - Returns: The problem.
  package static func malformedRequest(_ detail: String) -> ProblemDetails {
    ProblemDetails(
      name: "malformed-request",
      title: "Malformed request",
      status: .badRequest,
      detail: detail
    )
  }

  /// The content is longer than the server accepts.
  ///
  /// - Parameter maximumBodyBytes: How long it may be.
  /// - Returns: The problem.
  package static func tooLarge(maximumBodyBytes: Int) -> ProblemDetails {
    ProblemDetails(
      name: "too-large",
      title: "Content too large",
      status: .contentTooLarge,
      detail: "The content is longer than \(maximumBodyBytes) bytes."
    )
  }

  /// The target of the request is longer than the server accepts.
  package static let targetTooLong = ProblemDetails(
    name: "uri-too-long",
    title: "URI too long",
    status: .uriTooLong,
    detail: "The target of the request is too long."
  )

  /// The header fields of the request are longer than the server accepts.
  package static let fieldsTooLarge = ProblemDetails(
    name: "header-fields-too-large",
    title: "Header fields too large",
    status: .requestHeaderFieldsTooLarge,
    detail: "The header fields of the request are too long, or too many."
  )

  /// The request expects something other than 100-continue.
  package static let expectationFailed = ProblemDetails(
    name: "expectation-failed",
    title: "Expectation failed",
    status: .expectationFailed,
    detail: "The only expectation that can be met is 100-continue."
  )

  /// The request did not arrive whole in its time.
  package static let requestTimeout = ProblemDetails(
    name: "request-timeout",
    title: "Request timeout",
    status: .requestTimeout,
    detail: "The request took too long to arrive."
  )

  /// There is no room for another connection, or not for another one of this client.
  package static let tooManyConnections: ProblemDetails = {
    var problem = ProblemDetails(
      name: "too-many-connections",
      title: "Too many connections",
      status: .serviceUnavailable,
      detail: "There is no room for another connection. Try again in a moment."
    )
    problem.fields[.retryAfter] = "5"
    return problem
  }()

  /// There is no memory for another body that is arriving.
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

  /// The service is about to end.
  package static let draining: ProblemDetails = {
    var problem = ProblemDetails(
      name: "command-disabled",
      title: "Not accepting sign-ups",
      status: .serviceUnavailable,
      detail: "The service is stopping. Try again in a moment."
    )
    problem.fields[.retryAfter] = "5"
    return problem
  }()

  /// As many event streams are open as may be, in all or of this client.
  package static let tooManyStreams: ProblemDetails = {
    var problem = ProblemDetails(
      name: "too-many-streams",
      title: "Too many event streams",
      status: .serviceUnavailable,
      detail: "As many event streams are open as may be. Close one, or try again in a while."
    )
    problem.fields[.retryAfter] = "30"
    return problem
  }()

  /// Nobody answered: a fault of this program.
  static let internalError = ProblemDetails(
    name: "internal",
    title: "Internal error",
    status: .internalServerError,
    detail: "The service made a mistake. Nothing is known of what became of the request."
  )
}
