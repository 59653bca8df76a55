internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The types of problems of this service, in addition to those of `HTTPProblem`.
enum ServiceProblem: String, ProblemType {
  case originNotAllowed = "origin-not-allowed"
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

// The texts of `too-many-requests` are those of the kinds of requests.

extension LimitedRequest: TextKey {
  var key: String {
    switch self {
    case .signUp: "limit.sign-up"
    case .emailCheck: "limit.email-check"
    case .stream: "limit.stream"
    }
  }
}
