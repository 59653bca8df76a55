internal import HTTPSignals
internal import HTTPTypes

/// The types of problems of a request that needs a key.
enum KeyProblem: String, ProblemType {
  case unauthorized
  case insufficientScope = "insufficient-scope"
  /// The request comes from a page in a browser, which must not have a key.
  case keyInBrowser = "key-in-browser"
  case tooManyFailures = "too-many-failures"
  /// The board is not shown under the requested host: a page that rebinds a name could read it.
  case hostNotAllowed = "host-not-allowed"
  /// The form of the board was sent by another page, or by a program.
  case formNotAllowed = "form-not-allowed"

  var status: HTTPResponse.Status {
    switch self {
    case .unauthorized: .unauthorized
    case .insufficientScope, .keyInBrowser, .hostNotAllowed, .formNotAllowed: .forbidden
    case .tooManyFailures: .tooManyRequests
    }
  }
}

/// The texts of `unauthorized`.
enum Unauthorized: String, TextKey {
  case noKey = "problem.unauthorized.detail"
  /// The key is unknown, revoked or expired.
  case invalidKey = "problem.unauthorized.invalid"
  /// The checksum of the key is wrong.
  case incompleteKey = "problem.unauthorized.incomplete"
}

extension ProblemDetails {
  /// Creates the problem for a request without a valid key, with a `WWW-Authenticate` field (RFC
  /// 6750 §3).
  static func unauthorized(_ detail: Unauthorized) -> ProblemDetails {
    ProblemDetails(
      KeyProblem.unauthorized, detail, fields: [.wwwAuthenticate: "Bearer realm=\"enlist\""])
  }

  /// Creates the problem for a key that does not allow the request.
  ///
  /// The text and `WWW-Authenticate` name the scope (RFC 6750 §3.1).
  static func insufficientScope(_ scope: String) -> ProblemDetails {
    ProblemDetails(
      KeyProblem.insufficientScope,
      [.init("scope", scope)],
      fields: [
        .wwwAuthenticate:
          "Bearer realm=\"enlist\", error=\"insufficient_scope\", scope=\"\(scope)\""
      ]
    )
  }

  /// Creates the problem for a client that has sent too many wrong keys and must wait before the
  /// next.
  static func tooManyFailures(secondsToWait: Int) -> ProblemDetails {
    ProblemDetails(KeyProblem.tooManyFailures, fields: [.retryAfter: String(secondsToWait)])
  }
}

/// The types of problems of requests to the operator's API.
enum APIProblem: String, ProblemType {
  case invalidParameter = "invalid-parameter"
  /// The address is not on the list, and must not be added to it.
  case addressSuppressed = "address-suppressed"
  /// The subscriber does not wait for a confirmation, so no mail asks for one.
  case notPending = "not-pending"
  /// The object has changed since the client has read it.
  case versionMismatch = "version-mismatch"
  /// A change needs `If-Match`.
  case preconditionRequired = "precondition-required"
  /// Events after the client's id are no longer stored, or the id is not one of the log.
  case eventsExpired = "events-expired"
  /// The URL of a webhook leads to an address, port or scheme that is not allowed.
  case webhookTargetNotAllowed = "webhook-target-not-allowed"
  /// There are as many webhooks as there may be.
  case tooManyWebhooks = "too-many-webhooks"

  var status: HTTPResponse.Status {
    switch self {
    case .invalidParameter: .badRequest
    case .addressSuppressed: .conflict
    case .notPending: .conflict
    case .versionMismatch: .preconditionFailed
    case .preconditionRequired: .preconditionRequired
    case .eventsExpired: .gone
    case .webhookTargetNotAllowed: .unprocessableContent
    case .tooManyWebhooks: .conflict
    }
  }
}

/// The texts of `events-expired` besides that of a program that reads events itself.
enum EventsExpired: String, TextKey {
  /// Its argument is `count`.
  case ofWebhook = "problem.events-expired.webhook"
}

extension ProblemDetails {
  /// Creates the problem for a parameter of the query, or a member of the body.
  static func invalidParameter(_ name: String) -> ProblemDetails {
    ProblemDetails(APIProblem.invalidParameter, [.init("name", name)])
  }

  /// Creates the problem for a webhook that has not got events that are no longer stored; `nil` if
  /// its number is unknown.
  static func webhookEventsExpired(_ count: Int64?) -> ProblemDetails {
    guard let count else { return ProblemDetails(APIProblem.eventsExpired) }
    let text = ProblemText(EventsExpired.ofWebhook, [.init("count", "\(count)")])
    return ProblemDetails(APIProblem.eventsExpired, text: text)
  }
}
