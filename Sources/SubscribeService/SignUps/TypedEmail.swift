internal import HTTPSignals

/// The field `email` of a body: what a person typed.
enum TypedEmail: Sendable {
  /// Text, which the validity signal validates; empty when the field is not there.
  case text(String)
  /// Ill-formed UTF-8, or a lone surrogate.
  case damaged

  /// Why a body could not be read.
  struct ReadingError: Error {
    let problem: ProblemDetails
  }

  /// Reads it from the body of a request.
  static func read(_ request: Request) -> Result<TypedEmail, ReadingError> {
    do throws(BodyError) {
      return try read(try BodyFields.decode(request))
    } catch {
      return .failure(ReadingError(problem: error.problem))
    }
  }

  /// Reads it from the fields of a body.
  static func read(_ fields: BodyFields) throws(BodyError) -> Result<TypedEmail, ReadingError> {
    guard !fields.containsDamagedText(besides: "email") else {
      throw .malformed("A field other than the email address is not Unicode text.")
    }
    switch try fields.value("email") {
    case .text(let typed): return .success(.text(typed))
    case nil: return .success(.text(""))
    case .damagedText: return .success(.damaged)
    case .other:
      return .failure(
        ReadingError(problem: .invalidField("email", "The email address has to be text."))
      )
    }
  }
}
