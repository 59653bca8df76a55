package import HTTPTypes

/// The types of problems of requests to the operator's API.
package enum APIProblem: String, ProblemType {
  case invalidParameter = "invalid-parameter"
  case addressSuppressed = "address-suppressed"
  case notPending = "not-pending"
  case versionMismatch = "version-mismatch"
  case preconditionRequired = "precondition-required"
  case eventsExpired = "events-expired"
  case webhookTargetNotAllowed = "webhook-target-not-allowed"
  case tooManyWebhooks = "too-many-webhooks"

  package var status: HTTPResponse.Status {
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

/// The texts of the problems of requests to the operator's API.
package enum APIProblemDetail: String, TextKey {
  /// Its argument is `name`, the parameter.
  case invalidParameter = "problem.invalid-parameter.detail"
  case addressSuppressed = "problem.address-suppressed.detail"
  case notPending = "problem.not-pending.detail"
  case versionMismatch = "problem.version-mismatch.detail"
  case preconditionRequired = "problem.precondition-required.detail"
  case eventsExpired = "problem.events-expired.detail"
  /// Its argument is `count`.
  case webhookEventsExpired = "problem.events-expired.webhook"
  case webhookTargetNotAllowed = "problem.webhook-target-not-allowed.detail"
  case tooManyWebhooks = "problem.too-many-webhooks.detail"
}

extension ProblemDetails {
  /// Creates the problem for a parameter of the query, or a member of the body.
  package static func invalidParameter(_ name: String) -> ProblemDetails {
    ProblemDetails(
      APIProblem.invalidParameter,
      text: ProblemText(APIProblemDetail.invalidParameter, [.init("name", name)])
    )
  }

  /// The address is not on the list, and must not be added to it.
  package static let addressSuppressed = ProblemDetails(
    APIProblem.addressSuppressed,
    APIProblemDetail.addressSuppressed
  )

  /// The subscriber does not wait for a confirmation, so no mail asks for one.
  package static let notPending = ProblemDetails(
    APIProblem.notPending,
    APIProblemDetail.notPending
  )

  /// The object has changed since the client has read it.
  package static let versionMismatch = ProblemDetails(
    APIProblem.versionMismatch,
    APIProblemDetail.versionMismatch
  )

  /// A change needs `If-Match`.
  package static let preconditionRequired = ProblemDetails(
    APIProblem.preconditionRequired,
    APIProblemDetail.preconditionRequired
  )

  /// Events after the client's id are no longer stored, or the id is not one of the log.
  package static let eventsExpired = ProblemDetails(
    APIProblem.eventsExpired,
    APIProblemDetail.eventsExpired
  )

  /// Creates the problem for a webhook that has not got events that are no longer stored; `nil` if
  /// its number is unknown.
  package static func webhookEventsExpired(_ count: Int64?) -> ProblemDetails {
    guard let count else { return eventsExpired }
    let detail = APIProblemDetail.webhookEventsExpired
    return ProblemDetails(
      APIProblem.eventsExpired,
      text: ProblemText(detail, [.init("count", "\(count)")])
    )
  }

  /// The URL of a webhook leads to an address, port or scheme that is not allowed.
  package static let webhookTargetNotAllowed = ProblemDetails(
    APIProblem.webhookTargetNotAllowed,
    APIProblemDetail.webhookTargetNotAllowed
  )

  /// There are as many webhooks as there may be.
  package static let tooManyWebhooks = ProblemDetails(
    APIProblem.tooManyWebhooks,
    APIProblemDetail.tooManyWebhooks
  )
}
