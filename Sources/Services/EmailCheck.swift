package import EmailAddresses
package import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The complete result of validating a typed address.
///
/// The result is the response to `POST /email-checks`, and a line of `enlist check`. A check uses
/// neither storage nor the network.
package struct EmailCheck: Sendable {
  private let result: Result<EmailAddress, EmailAddressError>
  private let suggestion: String?

  /// Checks bytes of any length and content, which need not be UTF-8.
  package init(_ bytes: [UInt8], level: EmailLevel) {
    if let typed = String(validating: bytes, as: UTF8.self) {
      self.init(typed, level: level, validating: EmailAddress.init(validating:level:))
    } else {
      self.init(
        bytes.withUnsafeBufferPointer { bytes in
          Result { () throws(EmailAddressError) in try EmailAddress(validating: bytes, level: level)
          }
        }
      )
    }
  }

  init(
    _ typed: String, level: EmailLevel,
    validating validate: (String, EmailLevel) throws(EmailAddressError) -> EmailAddress
  ) {
    let result = Result { () throws(EmailAddressError) in try validate(typed, level) }
    self.result = result
    suggestion = EmailSuggestion.forValidated(typed, result, level: level)
  }

  /// Creates the result for text that was already rejected, for instance for a lone surrogate.
  init(_ error: EmailAddressError) {
    self.init(.failure(error))
  }

  private init(_ result: Result<EmailAddress, EmailAddressError>, suggestion: String? = nil) {
    self.result = result
    self.suggestion = suggestion
  }

  package var isValid: Bool {
    switch result {
    case .success: true
    case .failure: false
    }
  }

  /// The result as one JSON object, in English; members that do not apply are `null`.
  package var json: JSONText { json(in: .english) }

  func json(in texts: Texts) -> JSONText {
    var json = JSONText()
    json.object { object in
      switch result {
      case .success(let address):
        object.member("valid", true)
        object.member("normalized", address.normalized)
        object.member("reason", nil)
        object.member("detail", nil)
        object.member("suggestion", suggestion)
        object.member("warnings", address.warnings(beside: suggestion).map(\.rawValue))
      case .failure(let error):
        object.member("valid", false)
        object.member("normalized", nil)
        object.member("reason", error.reason.rawValue)
        object.member("detail", texts[error.reason])
        object.member("suggestion", suggestion)
        object.member("warnings", [])
      }
    }
    return json
  }
}

extension SignUpService {
  /// `POST /email-checks`: the validity signal as a service.
  ///
  /// The method is POST so that addresses do not appear in URLs.
  func checkEmail(_ routed: RoutedExchange) throws(ProblemDetails) {
    let request = routed.exchange.request
    try origins.check(request)
    let client = request.source.limitedClient
    if let seconds = checkLimiter.secondsToWait(of: client, at: dependencies.now()) {
      throw .tooManyRequests(.emailCheck, secondsToWait: seconds)
    }
    let check =
      switch try SentFields(request).email() {
      case .success(let typed):
        EmailCheck(typed, level: dependencies.emailLevel, validating: dependencies.validate)
      case .failure(let error): EmailCheck(error)
      }
    var response = Response.json(.ok, check.json(in: texts(of: request)))
    response.fields.append(.vary, "Accept-Language, Origin")
    routed.exchange.respond(response)
  }
}
