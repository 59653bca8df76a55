internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The fields of a sign-up form, validated as far as possible without the list.
final class SignUpForm: Sendable {
  /// The typed address, which the validity signal validates later; empty if the field is missing.
  let email: String
  /// The URL to which the form redirects after the sign-up.
  let next: String?
  /// The proof of consent: the text that the person agreed to, and the origin of the request.
  let consent: Consent

  private init(email: String, next: String?, consent: Consent) {
    self.email = email
    self.next = next
    self.consent = consent
  }

  /// Reads the form from a request.
  ///
  /// - Returns: The form, or the problem with its body or with one of its fields.
  static func read(_ request: Request) -> Result<SignUpForm, TypedEmail.ReadingError> {
    do throws(BodyError) {
      let fields = try BodyFields.decode(request)
      let email: String
      switch try TypedEmail.read(fields) {
      case .success(.text(let typed)): email = typed
      case .success(.damaged): return reject(EmailAddressError(.invalidUnicode).problem)
      case .failure(let error): return .failure(error)
      }
      for name in textNames where try fields.value(name) == .other {
        return reject(.invalidField(name, .notString))
      }
      for name in longNames where (try text(name, of: fields)?.utf8.count ?? 0) > maximumBytes {
        return reject(.invalidField(name, .tooLong, [.init("bytes", maximumBytes)]))
      }
      let locale = try text("locale", of: fields)
      if let locale, !isLanguageTag(locale) {
        return reject(.invalidField("locale", .locale))
      }
      let consent = Consent(try text("consent", of: fields), locale: locale, of: request)
      let next = try text("next", of: fields).flatMap { $0.isEmpty ? nil : $0 }
      return .success(SignUpForm(email: email, next: next, consent: consent))
    } catch {
      return reject(error.problem)
    }
  }

  /// The optional fields that must be strings.
  private static let textNames = ["consent", "locale", "next"]

  /// The fields that are stored or sent back in a header field; their length is limited.
  private static let longNames = ["consent", "next"]
  private static let maximumBytes = 2048

  private static func text(_ name: String, of fields: BodyFields) throws(BodyError) -> String? {
    guard case .text(let text) = try fields.value(name) else { return nil }
    return text
  }

  private static func reject(
    _ problem: ProblemDetails
  ) -> Result<SignUpForm, TypedEmail.ReadingError> {
    .failure(TypedEmail.ReadingError(problem: problem))
  }

  /// Returns whether a text has the form of a language tag (RFC 5646 §2.1).
  ///
  /// That is at most eight subtags of one to eight letters or digits; the first has letters only.
  private static func isLanguageTag(_ text: String) -> Bool {
    let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard text.utf8.count <= 35, subtags.count <= 8, let first = subtags.first else { return false }
    let isLetter: (UInt8) -> Bool = { (0x61...0x7A).contains($0 | 0x20) }
    let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
    return first.allSatisfy(isLetter)
      && subtags.allSatisfy { subtag in
        (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || isDigit($0) }
      }
  }
}
