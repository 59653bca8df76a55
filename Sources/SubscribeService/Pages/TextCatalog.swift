internal import HTTPSignals
internal import HTTPTypes

/// The texts of all languages, with those of the owner.
package final class TextCatalog: Sendable {
  /// English is first because it is the default.
  let all: [Texts]
  private let languages: [String]

  /// The texts of the program.
  package static let builtIn = TextCatalog([:])

  /// Creates the texts of the program with the owner's, by language tag and key, which replace them
  /// or add a language.
  package init(_ own: [String: [String: String]]) {
    let english = own["en"].map { Texts(.english, with: $0) } ?? .english
    var all = [english]
    for texts in Texts.builtIn.dropFirst() {
      all.append(Texts(texts, with: own[texts.language] ?? [:], otherwise: english))
    }
    for (language, texts) in own.sorted(by: { $0.key < $1.key })
    where !all.contains(where: { $0.language == language }) {
      all.append(Texts(language, texts, otherwise: english))
    }
    self.all = all
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

  /// The keys of all texts.
  package static let keys = Set(Texts.usedKeys)

  /// The keys of the texts that a translation has; the others are for programs.
  package static let translatedKeys = Texts.builtIn.dropFirst().reduce(keys) { keys, texts in
    keys.intersection(texts.definedKeys)
  }

  package static let builtInLanguages = Texts.builtIn.map(\.language)
}
