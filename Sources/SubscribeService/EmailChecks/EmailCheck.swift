package import HTTPSignals
package import MailingList

/// The validity signal's verdict on what was typed, with all that there is to say about it.
///
/// The answer of `POST /email-checks` and a line of `enlist check`: pure, no storage, no network.
package struct EmailCheck: Sendable {
  private let judgement: Result<EmailAddress, EmailRefusal>
  private let suggestion: String?

  /// Checks bytes, which need not be UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: What was typed, of any length and content.
  ///   - level: How strictly it is judged.
  package init(_ bytes: [UInt8], level: EmailLevel) {
    if let typed = String(validating: bytes, as: UTF8.self) {
      self.init(typed, level: level)
    } else {
      self.init(
        bytes.withUnsafeBufferPointer { bytes in
          Result { () throws(EmailRefusal) in try EmailAddress.judge(bytes, level: level) }
        }
      )
    }
  }

  /// Checks text.
  ///
  /// - Parameters:
  ///   - typed: What was typed, of any length and content.
  ///   - level: How strictly it is judged.
  init(_ typed: String, level: EmailLevel) {
    let judgement = Result { () throws(EmailRefusal) in
      try EmailAddress.judge(typed, level: level)
    }
    self.judgement = judgement
    suggestion = EmailSuggestion.forJudged(typed, judgement, level: level)
  }

  /// Tells of text that was no Unicode before it came here, a lone surrogate for instance.
  ///
  /// - Parameter refusal: What is wrong with it.
  init(_ refusal: EmailRefusal) {
    self.init(.failure(refusal))
  }

  private init(_ judgement: Result<EmailAddress, EmailRefusal>, suggestion: String? = nil) {
    self.judgement = judgement
    self.suggestion = suggestion
  }

  /// Whether it is an address.
  package var isValid: Bool {
    switch judgement {
    case .success: true
    case .failure: false
    }
  }

  /// The verdict as one JSON object; what does not apply is `null`.
  package var json: JSONText { json { $0.message } }

  /// The same in another language.
  ///
  /// - Parameter message: What is said of a reason.
  /// - Returns: The object.
  func json(_ message: (EmailRefusal.Reason) -> String) -> JSONText {
    var json = JSONText()
    json.object { object in
      switch judgement {
      case .success(let address):
        object.member("valid", true)
        object.member("normalized", address.normalized)
        object.member("reason", nil)
        object.member("detail", nil)
        object.member("suggestion", suggestion)
        object.member("warnings", address.warnings(beside: suggestion).map(\.rawValue))
      case .failure(let refusal):
        object.member("valid", false)
        object.member("normalized", nil)
        object.member("reason", refusal.reason.rawValue)
        object.member("detail", message(refusal.reason))
        object.member("suggestion", suggestion)
        object.member("warnings", [])
      }
    }
    return json
  }
}
