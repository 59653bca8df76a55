internal import Foundation
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The texts for visitors in one language; English where a text is missing.
///
/// To add a language, add a file to `Texts` and a line to ``all``.
struct Texts: Sendable {
  /// The language tag (BCP 47).
  let language: String
  private let isEnglish: Bool
  private let texts: [String: String]

  /// The texts of all languages; English is first because it is the default.
  static let all: [Texts] = [
    Texts("en", PackageResources.en_json),
    Texts("de", PackageResources.de_json),
    Texts("fr", PackageResources.fr_json),
    Texts("es", PackageResources.es_json),
    Texts("zh-Hans", PackageResources.zh_Hans_json),
  ]

  private init(_ language: String, _ json: [UInt8]) {
    self.language = language
    isEnglish = language == "en"
    // A file that cannot be parsed yields no texts; a test checks all files.
    texts = (try? JSONDecoder().decode([String: String].self, from: Data(json))) ?? [:]
  }

  /// The tags of all languages.
  static let languages = all.map(\.language)

  /// Returns the texts in the language that the client prefers (RFC 9110 §12.5.4).
  static func preferred(by request: Request) -> Texts {
    // Most programs do not send a preference.
    guard request.fields.count(of: .acceptLanguage) > 0 else { return all[0] }
    let language = request.preferredLanguage(of: languages)
    return all.first { $0.language == language } ?? all[0]
  }

  /// The text for a key.
  subscript(key: String) -> String {
    texts[key] ?? Self.all[0].texts[key] ?? key
  }

  /// Translates a problem into this language.
  ///
  /// A detail that differs from the text of its type stays unchanged: it is for the developer of
  /// the client.
  func translation(of problem: ProblemDetails) -> ProblemDetails {
    let key = "problem.\(problem.name)"
    // This one type has a text for each kind of limited request.
    let kind =
      problem.status == .tooManyRequests
      ? LimitedRequest.allCases.first { $0.message == problem.detail } : nil
    guard kind != nil || problem.detail == Self.all[0].texts[key] else { return problem }
    var problem = problem
    problem.detail = self[kind?.textKey ?? key]
    return problem
  }

  /// Returns whether the language has its own text for a key.
  func has(_ key: String) -> Bool { texts[key] != nil }

  /// The keys of all texts.
  static var keys: [String] { all[0].texts.keys.sorted() }

  /// Returns the message for an invalid address.
  func message(_ reason: EmailAddressError.Reason) -> String {
    // A reason has its English message, which avoids a lookup for most rejections.
    isEnglish ? reason.message : self["reason.\(reason.rawValue)"]
  }

  /// Returns the message for a domain that does not accept email.
  func message(_ reason: Deliverability.Reason) -> String {
    self["undeliverable.\(reason.rawValue)"]
  }

  /// Returns the text of a status message.
  func message(_ message: StatusMessage) -> String {
    switch message {
    case .started: self["status.started"]
    case .completed: self["status.completed"]
    case .failed: self["status.failed"]
    }
  }

  /// Returns the message for a sign-up that was not stored.
  func message(_ error: SignUpError) -> String {
    switch error {
    case .invalidAddress(let error): message(error.reason)
    case .undeliverable(let reason): message(reason)
    case .executing, .draining, .store: self["problem.\(error.problem.name)"]
    }
  }
}
