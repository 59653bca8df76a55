internal import HTTPSignals

/// The field `email` of a body: the address as the visitor typed it.
enum TypedEmail: Sendable {
  /// Text, which the validity signal validates; empty if the field is missing.
  case text(String)
  /// Ill-formed UTF-8, or a lone surrogate.
  case damaged

  /// The reason a body could not be read.
  struct ReadingError: Error {
    let problem: ProblemDetails
  }

  /// Reads the field from the body of a request.
  static func read(_ request: Request) -> Result<TypedEmail, ReadingError> {
    do throws(BodyError) {
      return try read(try BodyFields.decode(request))
    } catch {
      return .failure(ReadingError(problem: error.problem))
    }
  }

  /// Reads the field from the fields of a body.
  ///
  /// - Throws: `BodyError` if the body is malformed, or another field is not valid Unicode.
  static func read(_ fields: BodyFields) throws(BodyError) -> Result<TypedEmail, ReadingError> {
    guard !fields.containsDamagedText(besides: "email") else {
      throw .malformed(.damagedField)
    }
    switch try fields.value("email") {
    case .text(let typed): return .success(.text(typed))
    case nil: return .success(.text(""))
    case .damagedText: return .success(.damaged)
    case .other:
      return .failure(
        ReadingError(problem: .invalidField("email", .email))
      )
    }
  }
}
