internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The texts of all languages, with those of the owner.
final class TextCatalog: Sendable {
  /// English is first because it is the default.
  let all: [Texts]
  private let languages: [String]

  /// The texts of the program.
  static let builtIn = TextCatalog([:])

  /// Creates the texts of the program with the owner's, by language tag and key.
  init(_ own: [String: [String: String]]) {
    all = LanguageTexts.all(with: own).map { Texts($0) }
    languages = all.map(\.language)
  }

  /// Returns the texts in the language that the client prefers (RFC 9110 §12.5.4); the request is
  /// `nil` if none has arrived.
  func preferred(by request: Request?) -> Texts {
    // Most programs do not send a preference.
    guard let request, request.fields.count(of: .acceptLanguage) > 0 else { return all[0] }
    let language = request.preferredLanguage(of: languages)
    return all.first { $0.language == language } ?? all[0]
  }

  /// Returns the language of the texts that the client prefers; `nil` if it has no preference.
  func language(preferredBy request: Request) -> String? {
    request.fields.count(of: .acceptLanguage) > 0 ? preferred(by: request).language : nil
  }
}
