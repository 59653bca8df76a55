internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

// The problem for each error. No `default`: a new case does not compile until it has a problem.

extension SignUpError {
  /// The problem for a sign-up that was not stored.
  var problem: ProblemDetails {
    switch self {
    case .invalidAddress(let error): error.problem
    case .executing: .alreadyExecuting
    case .draining: .commandDisabled
    case .undeliverable(let reason): reason.problem
    case .store(let error): error.problem
    }
  }
}

extension EmailAddressError {
  /// The problem for an invalid address: it contains the reason, never the typed text.
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
  /// The problem for an address whose domain does not accept email.
  var problem: ProblemDetails {
    let detail =
      switch self {
      case .nullMX, .noMail: "That domain does not accept email."
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
  /// The problem for a sign-up that the store cannot store.
  ///
  /// It is the same in every case: the client can only try again, and the reason concerns the
  /// operator.
  var problem: ProblemDetails {
    switch self {
    case .full, .locked, .readOnly, .damaged, .replaced, .overloaded, .closed, .failed:
      .storageUnavailable
    }
  }
}

extension BodyError {
  /// The problem for a body that cannot be read.
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
      problem.fields[.acceptPost] = BodyFields.acceptedMediaTypes
      return problem
    }
  }
}

extension ProblemDetails {
  /// An execution for the address is in flight; the problem does not identify it.
  static let alreadyExecuting: ProblemDetails = {
    var problem = ProblemDetails(
      name: "already-executing",
      title: "Sign-up already in progress",
      status: .conflict,
      detail: "A sign-up for this address is already in progress. Try again in a moment."
    )
    problem.fields[.retryAfter] = "1"
    return problem
  }()

  /// Makes the problem for a client that has sent more requests of a kind than its rate allows.
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

  /// The service is draining.
  static let commandDisabled: ProblemDetails = {
    var problem = ProblemDetails(
      name: "command-disabled",
      title: "Not accepting sign-ups",
      status: .serviceUnavailable,
      detail: "The service is shutting down. Try again in a moment."
    )
    problem.fields[.retryAfter] = "5"
    return problem
  }()

  /// The request names a host that is not the service's.
  static let misdirectedRequest = ProblemDetails(
    name: "misdirected-request",
    title: "Misdirected request",
    status: .misdirectedRequest,
    detail: "The service does not respond for this host; "
      + "--public-url names the host that it responds for. "
      + "Use that URL, and configure a proxy in front to pass the Host header field on."
  )

  /// The store cannot store sign-ups at the moment.
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

  /// The request comes from a page of a site that may not use the service.
  static let originNotAllowed = ProblemDetails(
    name: "origin-not-allowed",
    title: "Origin not allowed",
    status: .forbidden,
    detail: "Requests from this site are not allowed; --allowed-origins lists the sites that are."
  )

  /// The merged stream is switched off.
  static let streamDisabled = ProblemDetails(
    name: "stream-disabled",
    title: "Stream disabled",
    status: .forbidden,
    detail: "This service does not publish its status stream (--status-stream off)."
  )

  /// Makes the problem for a field of the body whose value is invalid.
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
