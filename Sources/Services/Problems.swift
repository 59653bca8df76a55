internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The types of problems of the public service, in addition to those of `HTTPProblem`.
enum ServiceProblem: String, ProblemType {
  case originNotAllowed = "origin-not-allowed"
  /// The merged stream is disabled.
  case streamDisabled = "stream-disabled"
  case alreadyExecuting = "already-executing"
  case misdirectedRequest = "misdirected-request"
  case invalidEmail = "invalid-email"
  case invalidField = "invalid-field"
  case tokenExpired = "token-expired"
  case wrongCode = "wrong-code"
  case tooManyRequests = "too-many-requests"
  case commandDisabled = "command-disabled"
  case storageUnavailable = "storage-unavailable"

  var status: HTTPResponse.Status {
    switch self {
    case .originNotAllowed, .streamDisabled: .forbidden
    case .alreadyExecuting: .conflict
    case .misdirectedRequest: .misdirectedRequest
    case .tokenExpired: .gone
    case .invalidEmail, .invalidField, .wrongCode: .unprocessableContent
    case .tooManyRequests: .tooManyRequests
    case .commandDisabled, .storageUnavailable: .serviceUnavailable
    }
  }
}

/// The texts of `storage-unavailable` besides that of a sign-up that was not stored.
enum StorageUnavailable: String, TextKey {
  /// The store did not report in time whether it stored the sign-up.
  case undetermined = "problem.storage-unavailable.undetermined"
}

/// The texts of `invalid-field`: the errors in the value of a field.
enum InvalidField: String, TextKey {
  case email = "problem.invalid-field.email"
  case notString = "problem.invalid-field.not-string"
  /// Its argument is `bytes`, the limit.
  case tooLong = "problem.invalid-field.too-long"
  case locale = "problem.invalid-field.locale"
  /// An owner's field that is required.
  case missing = "problem.invalid-field.missing"
  /// Its argument is `characters`, the limit of an owner's field.
  case tooManyCharacters = "problem.invalid-field.too-many-characters"
  case controlCharacter = "problem.invalid-field.control-character"
  case code = "problem.invalid-field.code"
}

/// The texts of `wrong-code`, by the number of remaining attempts.
enum WrongCode: String, TextKey {
  /// Its argument is `count`, 2 or more.
  case several = "problem.wrong-code.detail"
  case one = "problem.wrong-code.last"
  case none = "problem.wrong-code.none"
}

// The texts of `invalid-email` are those of the reasons.

extension EmailAddressError.Reason: TextKey {
  private static let keys = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, "reason.\($0.rawValue)") })

  /// Created once for each reason.
  package var key: String { Self.keys[self] ?? rawValue }
}

extension Deliverability.Reason: TextKey {
  package var key: String { "undeliverable.\(rawValue)" }
}

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
  /// The problem for an invalid address, which contains the reason, never the typed text.
  var problem: ProblemDetails { Self.problems[reason] ?? Self.problem(for: reason) }

  /// Created once, because clients cause this problem more often than any other.
  private static let problems = Dictionary(
    uniqueKeysWithValues: Reason.allCases.map { ($0, problem(for: $0)) })

  private static func problem(for reason: Reason) -> ProblemDetails {
    ProblemDetails(
      ServiceProblem.invalidEmail, reason, errors: [.init(pointer: "/email", code: reason.rawValue)]
    )
  }
}

extension Deliverability.Reason {
  /// The problem for an address whose domain does not accept email.
  var problem: ProblemDetails {
    ProblemDetails(
      ServiceProblem.invalidEmail, self, errors: [.init(pointer: "/email", code: "undeliverable")])
  }
}

extension StoreError {
  /// The problem for a sign-up that the store cannot store.
  ///
  /// Clients can only retry; the reason concerns only the operator.
  var problem: ProblemDetails {
    switch self {
    case .full, .locked, .readOnly, .damaged, .replaced, .overloaded, .closed, .unreachable,
      .incompatible, .failed, .rejected:
      .storageUnavailable
    case .undetermined:
      ProblemDetails(
        ServiceProblem.storageUnavailable, StorageUnavailable.undetermined,
        fields: [.retryAfter: "5"])
    case .executing: .alreadyExecuting
    }
  }
}

extension ProblemDetails {
  /// An execution for the address is in flight; the problem does not identify it.
  static let alreadyExecuting = ProblemDetails(
    ServiceProblem.alreadyExecuting, fields: [.retryAfter: "1"])

  /// The service is draining.
  static let commandDisabled = ProblemDetails(
    ServiceProblem.commandDisabled, fields: [.retryAfter: "5"])

  /// The requested host is not that of the service.
  static let misdirectedRequest = ProblemDetails(ServiceProblem.misdirectedRequest)

  /// The store cannot store sign-ups at the moment.
  static let storageUnavailable = ProblemDetails(
    ServiceProblem.storageUnavailable, fields: [.retryAfter: "5"])

  /// The request comes from a page of a site that may not use the service.
  static let originNotAllowed = ProblemDetails(ServiceProblem.originNotAllowed)

  /// The link to confirm has expired, or the person has left the list since.
  static let tokenExpired = ProblemDetails(ServiceProblem.tokenExpired)

  /// Creates the problem for a code that does not confirm, regardless of the reason.
  ///
  /// - Parameter triesLeft: The number of codes that may still be tried for the execution.
  static func wrongCode(triesLeft: Int) -> ProblemDetails {
    let text =
      switch triesLeft {
      case ...0: ProblemText(WrongCode.none)
      case 1: ProblemText(WrongCode.one)
      default: ProblemText(WrongCode.several, [.init("count", triesLeft)])
      }
    var problem = ProblemDetails(
      ServiceProblem.wrongCode, text: text, errors: [.init(pointer: "/code", code: "wrong-code")])
    problem.triesLeft = triesLeft
    return problem
  }

  /// Creates the problem for a client that has sent more requests of a kind than its rate allows.
  static func tooManyRequests(_ kind: LimitedRequest, secondsToWait: Int) -> ProblemDetails {
    var fields = FieldList()
    fields.append(.retryAfter, String(secondsToWait))
    return ProblemDetails(ServiceProblem.tooManyRequests, kind, fields: fields)
  }

  /// Creates the problem for a field of the body whose value is invalid.
  static func invalidField(
    _ name: String, _ key: InvalidField, _ arguments: [ProblemText.Argument] = []
  ) -> ProblemDetails {
    ProblemDetails(
      ServiceProblem.invalidField, text: ProblemText(key, arguments),
      errors: [.init(pointer: "/\(name)", code: "invalid-field")])
  }
}
