internal import HTTPSignals
internal import Security

/// The form with the code of a mail, read from the body of a request.
struct CodeForm: Sendable {
  let code: ConfirmationCode

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

/// The reason why a form with a code could not be read.
struct CodeFormError: Error {
  let problem: ProblemDetails

  /// Creates the error for an invalid field `code`.
  fileprivate static func invalid(_ key: InvalidField) -> CodeFormError {
    CodeFormError(problem: .invalidField("code", key))
  }
}
