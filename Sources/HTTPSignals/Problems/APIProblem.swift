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

/// The texts of `events-expired` besides that of a program that reads events itself.
package enum EventsExpired: String, TextKey {
  /// Its argument is `count`.
  case ofWebhook = "problem.events-expired.webhook"
}

extension ProblemDetails {
  /// Creates the problem for a parameter of the query, or a member of the body.
  package static func invalidParameter(_ name: String) -> ProblemDetails {
    ProblemDetails(APIProblem.invalidParameter, [.init("name", name)])
  }

  /// The address is not on the list, and must not be added to it.
  package static let addressSuppressed = ProblemDetails(APIProblem.addressSuppressed)

  /// The subscriber does not wait for a confirmation, so no mail asks for one.
  package static let notPending = ProblemDetails(APIProblem.notPending)

  /// The object has changed since the client has read it.
  package static let versionMismatch = ProblemDetails(APIProblem.versionMismatch)

  /// A change needs `If-Match`.
  package static let preconditionRequired = ProblemDetails(APIProblem.preconditionRequired)

  /// Events after the client's id are no longer stored, or the id is not one of the log.
  package static let eventsExpired = ProblemDetails(APIProblem.eventsExpired)

  /// Creates the problem for a webhook that has not got events that are no longer stored; `nil` if
  /// its number is unknown.
  package static func webhookEventsExpired(_ count: Int64?) -> ProblemDetails {
    guard let count else { return eventsExpired }
    let text = ProblemText(EventsExpired.ofWebhook, [.init("count", "\(count)")])
    return ProblemDetails(APIProblem.eventsExpired, text: text)
  }

  /// The URL of a webhook leads to an address, port or scheme that is not allowed.
  package static let webhookTargetNotAllowed = ProblemDetails(APIProblem.webhookTargetNotAllowed)

  /// There are as many webhooks as there may be.
  package static let tooManyWebhooks = ProblemDetails(APIProblem.tooManyWebhooks)
}
