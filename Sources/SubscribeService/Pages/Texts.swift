internal import Foundation
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// What people read, in one language; English where a text is missing.
///
/// A language is a file of `Texts`, and a line here.
struct Texts: Sendable {
  /// The language tag (BCP 47).
  let language: String
  private let isEnglish: Bool
  private let texts: [String: String]

  /// The texts that the program was built with; English first, for those who want none of them.
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
    // A file that cannot be read is one without texts; a test reads all of them.
    texts = (try? JSONDecoder().decode([String: String].self, from: Data(json))) ?? [:]
  }

  /// The languages, as language tags.
  static let languages = all.map(\.language)

  /// The one that a client would rather read (RFC 9110 §12.5.4).
  static func preferred(by request: Request) -> Texts {
    // Most programs say nothing of it.
    guard request.fields.count(of: "accept-language") > 0 else { return all[0] }
    let language = request.preferredLanguage(of: languages)
    return all.first { $0.language == language } ?? all[0]
  }

  /// A text by its key.
  subscript(key: String) -> String {
    texts[key] ?? Self.all[0].texts[key] ?? key
  }

  /// A problem in this language.
  ///
  /// A detail that says more than the text of its type stays as it is: that is for whoever writes
  /// the program which asks.
  func translation(of problem: ProblemDetails) -> ProblemDetails {
    let key = "problem.\(problem.name)"
    // One type, and a text for each kind of request that there can be too many of.
    let kind =
      problem.status == .tooManyRequests
      ? LimitedRequest.allCases.first { $0.message == problem.detail } : nil
    guard kind != nil || problem.detail == Self.all[0].texts[key] else { return problem }
    var problem = problem
    problem.detail = self[kind?.textKey ?? key]
    return problem
  }

  /// Whether the language has a text of its own.
  func has(_ key: String) -> Bool { texts[key] != nil }

  /// The keys of all texts.
  static var keys: [String] { all[0].texts.keys.sorted() }

  /// What is wrong with an address.
  func message(_ reason: EmailAddressError.Reason) -> String {
    // A reason is in English itself, and a text need not be looked up for most who are rejected.
    isEnglish ? reason.message : self["reason.\(reason.rawValue)"]
  }

  /// Why a domain takes no mail.
  func message(_ reason: Deliverability.Reason) -> String {
    self["undeliverable.\(reason.rawValue)"]
  }

  /// What the status line says.
  func message(_ message: StatusMessage) -> String {
    switch message {
    case .started: self["status.started"]
    case .completed: self["status.completed"]
    case .failed: self["status.failed"]
    }
  }

  /// Why a sign-up was not stored.
  func message(_ error: SignUpError) -> String {
    switch error {
    case .invalidAddress(let error): message(error.reason)
    case .undeliverable(let reason): message(reason)
    case .executing, .draining, .store: self["problem.\(error.problem.name)"]
    }
  }
}
