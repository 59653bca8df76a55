internal import HTTPSignals
internal import Secrets

/// The form with the code of a mail, as the body of a request contains it.
struct CodeForm: Sendable {
  /// The typed code.
  let code: ConfirmationCode

  /// Reads the form from a request.
  init(_ request: Request) throws(CodeFormError) {
    switch try Self.value(in: request) {
    case .text(let typed):
      guard let code = ConfirmationCode(typed) else { throw .invalid(.code) }
      self.code = code
    case .damagedText, nil: throw .invalid(.code)
    case .other: throw .invalid(.notString)
    }
  }

  private static func value(in request: Request) throws(CodeFormError) -> BodyFields.Value? {
    do throws(BodyError) {
      return try BodyFields.decode(request).value("code")
    } catch {
      throw CodeFormError(problem: error.problem)
    }
  }
}

/// The reason a form with a code could not be read.
struct CodeFormError: Error {
  /// The problem of the body or of the field.
  let problem: ProblemDetails

  /// Makes the error for an invalid field `code`.
  fileprivate static func invalid(_ key: InvalidField) -> CodeFormError {
    CodeFormError(problem: .invalidField("code", key))
  }
}
