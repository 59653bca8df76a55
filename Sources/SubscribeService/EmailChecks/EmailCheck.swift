package import HTTPSignals
package import MailingList

/// The validation of what was typed, with all that there is to say about it.
///
/// The answer of `POST /email-checks` and a line of `enlist check`: pure, no storage, no network.
package struct EmailCheck: Sendable {
  private let result: Result<EmailAddress, EmailAddressError>
  private let suggestion: String?

  /// Checks bytes, which need not be UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: What was typed, of any length and content.
  ///   - level: How strictly it is validated.
  package init(_ bytes: [UInt8], level: EmailLevel) {
    if let typed = String(validating: bytes, as: UTF8.self) {
      self.init(typed, level: level)
    } else {
      self.init(
        bytes.withUnsafeBufferPointer { bytes in
          Result { () throws(EmailAddressError) in try EmailAddress(validating: bytes, level: level)
          }
        }
      )
    }
  }

  /// Checks text.
  ///
  /// - Parameters:
  ///   - typed: What was typed, of any length and content.
  ///   - level: How strictly it is validated.
  init(_ typed: String, level: EmailLevel) {
    let result = Result { () throws(EmailAddressError) in
      try EmailAddress(validating: typed, level: level)
    }
    self.result = result
    suggestion = EmailSuggestion.forValidated(typed, result, level: level)
  }

  /// Tells of text that was no Unicode before it came here, a lone surrogate for instance.
  ///
  /// - Parameter error: What is wrong with it.
  init(_ error: EmailAddressError) {
    self.init(.failure(error))
  }

  private init(_ result: Result<EmailAddress, EmailAddressError>, suggestion: String? = nil) {
    self.result = result
    self.suggestion = suggestion
  }

  /// Whether it is an address.
  package var isValid: Bool {
    switch result {
    case .success: true
    case .failure: false
    }
  }

  /// The result as one JSON object; what does not apply is `null`.
  package var json: JSONText { json { $0.message } }

  /// The same in another language.
  ///
  /// - Parameter message: What is said of a reason.
  /// - Returns: The object.
  func json(_ message: (EmailAddressError.Reason) -> String) -> JSONText {
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
        object.member("detail", message(error.reason))
        object.member("suggestion", suggestion)
        object.member("warnings", [])
      }
    }
    return json
  }
}
