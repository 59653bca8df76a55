internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

// What a client is told, for every error there is. No `default`: a new case does not compile until
// it has an answer.

extension SignUpError {
  /// The answer to a sign-up that was not stored.
  var problem: ProblemDetails {
    switch self {
    case .invalidAddress(let error): error.problem
    case .executing: .alreadyExecuting
    case .draining: .draining
    case .undeliverable(let reason): reason.problem
    case .store(let error): error.problem
    }
  }
}

extension EmailAddressError {
  /// The answer to an address that is not valid: why, and never what was typed.
  var problem: ProblemDetails {
    var problem = ProblemDetails(
      name: "invalid-email",
      title: "Invalid email address",
      status: .unprocessableContent,
      detail: reason.message
    )
    problem.errors = [.init(pointer: "/email", code: reason.rawValue, detail: reason.message)]
    return problem
  }
}

extension Deliverability.Reason {
  /// The answer to an address whose domain takes no mail.
  var problem: ProblemDetails {
    let detail =
      switch self {
      case .nullMX, .noMail: "That domain does not take email."
      case .noDomain: "That domain does not exist."
      case .noAddress: "That domain has no mail server."
      }
    var problem = ProblemDetails(
      name: "invalid-email",
      title: "Invalid email address",
      status: .unprocessableContent,
      detail: detail
    )
    problem.errors = [.init(pointer: "/email", code: "undeliverable", detail: detail)]
    return problem
  }
}

extension StoreError {
  /// The answer when the store cannot store: what to do is the same, why is the operator's.
  var problem: ProblemDetails {
    switch self {
    case .full, .locked, .readOnly, .damaged, .replaced, .overloaded, .closed, .failed:
      .storageUnavailable
    }
  }
}

extension BodyError {
  /// The answer to a body that cannot be read.
  var problem: ProblemDetails {
    switch self {
    case .malformed(let reason):
      return ProblemDetails(
        name: "malformed-body",
        title: "Malformed body",
        status: .badRequest,
        detail: reason
      )
    case .unsupportedMediaType:
      var problem = ProblemDetails(
        name: "unsupported-media-type",
        title: "Unsupported media type",
        status: .unsupportedMediaType,
        detail: "Send \(BodyFields.acceptedMediaTypes), in UTF-8."
      )
      // RFC 9110 §15.5.16
      if let name = HTTPField.Name("Accept-Post") {
        problem.fields[name] = BodyFields.acceptedMediaTypes
      }
      return problem
    }
  }
}

extension ProblemDetails {
  /// An execution for the address is in flight; which one is not told.
  static let alreadyExecuting: ProblemDetails = {
    var problem = ProblemDetails(
      name: "already-executing",
      title: "Already executing",
      status: .conflict,
      detail: "A sign-up of this address is being stored. Try again in a moment."
    )
    problem.fields[.retryAfter] = "1"
    return problem
  }()

  /// The client has made more requests of a kind than its rate allows.
  static func tooManyRequests(
    _ kind: LimitedRequest,
    secondsToWait: Int
  ) -> ProblemDetails {
    var problem = ProblemDetails(
      name: "too-many-requests",
      title: "Too many requests",
      status: .tooManyRequests,
      detail: kind.message
    )
    problem.fields[.retryAfter] = String(secondsToWait)
    return problem
  }

  /// The request names a host that is not the service's.
  static let misdirectedRequest = ProblemDetails(
    name: "misdirected-request",
    title: "Misdirected request",
    status: .misdirectedRequest,
    detail: "The service does not respond for this host; --public-url says for which one it does. "
      + "Use that address, and have a proxy in front pass the Host on."
  )

  /// The store cannot store at the moment.
  static let storageUnavailable: ProblemDetails = {
    var problem = ProblemDetails(
      name: "storage-unavailable",
      title: "Storage unavailable",
      status: .serviceUnavailable,
      detail: "Nothing was stored. Try again in a moment."
    )
    problem.fields[.retryAfter] = "5"
    return problem
  }()

  /// A page of a site that may not use the service.
  static let originNotAllowed = ProblemDetails(
    name: "origin-not-allowed",
    title: "Origin not allowed",
    status: .forbidden,
    detail: "Pages of this site may not use the service; --allowed-origins lists those that may."
  )

  /// The merged stream is switched off.
  static let streamDisabled = ProblemDetails(
    name: "stream-disabled",
    title: "Stream disabled",
    status: .forbidden,
    detail: "This service does not publish its status stream (--status-stream off)."
  )

  /// A field of the body is not what it has to be.
  static func invalidField(_ name: String, _ detail: String) -> ProblemDetails {
    var problem = ProblemDetails(
      name: "invalid-field",
      title: "Invalid field",
      status: .unprocessableContent,
      detail: detail
    )
    problem.errors = [.init(pointer: "/\(name)", code: "invalid-field", detail: detail)]
    return problem
  }
}
