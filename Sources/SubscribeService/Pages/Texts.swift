internal import EmailAddresses
package import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The texts for visitors and clients in one language.
// A class: a request passes one reference.
final class Texts: Sendable {
  private let texts: LanguageTexts
  /// The titles of problem types by name.
  private let titles: [String: String]
  /// The messages for invalid addresses, which clients request more often than other texts.
  private let reasons: [EmailAddressError.Reason: String]

  static let english = Texts(.english)

  init(_ texts: LanguageTexts) {
    self.texts = texts
    titles = Dictionary(
      uniqueKeysWithValues: Self.problemNames.map { name in
        (name, texts["problem.\(name).title"] ?? name)
      }
    )
    reasons = Dictionary(
      uniqueKeysWithValues: EmailAddressError.Reason.allCases.map { reason in
        (reason, texts[reason.key] ?? reason.key)
      }
    )
  }

  /// The language tag (BCP 47).
  var language: String { texts.language }

  // MARK: Looking up

  subscript(key: some TextKey) -> String { text(key.key) }

  subscript(key: PageText) -> String { text(key.rawValue) }

  /// Returns a text of the pages with the name of the list.
  subscript(key: PageText, list list: String) -> String {
    text(key.rawValue).replacing("{list}", with: list)
  }

  subscript(reason: EmailAddressError.Reason) -> String { reasons[reason] ?? text(reason.key) }

  /// Returns the text of a problem, with the values of its arguments.
  subscript(text: ProblemText) -> String {
    var result = self.text(text.key)
    for argument in text.arguments {
      result = result.replacing("{\(argument.name)}", with: argument.value)
    }
    return result
  }

  /// Returns the label of an owner's field: the owner's text, otherwise its name.
  func label(of field: FormField) -> String {
    if let label = texts[field.labelKey] { return label }
    let words = field.name.replacing("_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  func title(of problem: ProblemDetails) -> String { titles[problem.name] ?? problem.name }

  private func text(_ key: String) -> String { texts[key] ?? key }

  /// Returns whether the language has its own text for a key.
  func has(_ key: String) -> Bool { texts.own[key] != nil }

  func message(_ message: StatusMessage) -> String {
    switch message {
    case .started: self[.started]
    case .completed: self[.completed]
    case .failed: self[.failed]
    }
  }

  /// Returns the help on a problem type: its help text, otherwise the text of its problem; `nil`
  /// for an unknown type.
  ///
  /// `isOwn` is false if the text is in English because this language lacks it.
  func help(on name: String) -> (text: String, isOwn: Bool)? {
    guard Self.problemNames.contains(name) else { return nil }
    let help = "problem.\(name).help"
    let key = Self.english.has(help) ? help : "problem.\(name).detail"
    return (text(key), has(key))
  }

  // MARK: Keys

  /// The problem types of the public listener.
  static let publicProblemNames =
    HTTPProblem.allCases.map(\.rawValue) + ServiceProblem.allCases.map(\.rawValue)

  /// The problem types of both listeners, public and operator's.
  static let problemNames =
    publicProblemNames + KeyProblem.allCases.map(\.rawValue) + APIProblem.allCases.map(\.rawValue)

  /// All enums of keys; a test looks for others in the sources.
  static let keySets: [any TextKey.Type] = [
    MalformedRequest.self, MalformedBody.self, InvalidField.self, WrongCode.self,
    EmailAddressError.Reason.self, Deliverability.Reason.self, LimitedRequest.self,
    StorageUnavailable.self, Unauthorized.self, EventsExpired.self, PageText.self, VisitorText.self,
  ]

  /// The keys of all texts that the program uses, sorted.
  static var usedKeys: [String] {
    func keys<Key: TextKey>(of set: Key.Type) -> [String] { set.allCases.map(\.key) }
    let used = Set(
      keySets.flatMap { keys(of: $0) } + problemNames.flatMap { Self.keys(ofProblem: $0) })
    return used.sorted()
  }

  /// The keys of a problem type: its title, its text unless it has several, and its help, if any.
  private static func keys(ofProblem name: String) -> [String] {
    let several: [any ProblemType] = [
      HTTPProblem.malformedBody, HTTPProblem.malformedRequest, ServiceProblem.invalidEmail,
      ServiceProblem.invalidField, ServiceProblem.tooManyRequests,
    ]
    let parts =
      ["title"] + (several.contains { $0.rawValue == name } ? [] : ["detail"])
      + (english.has("problem.\(name).help") ? ["help"] : [])
    return parts.map { "problem.\(name).\($0)" }
  }
}

extension ProblemWording {
  /// The English texts of all problems, for the operator's listener.
  package static let english = ProblemWording(
    title: { Texts.english.title(of: $0) }, detail: { Texts.english[$0] },
    help: { Texts.english.help(on: $0)?.text })
}

extension EmailAddressError.Reason {
  /// The English message for people; it never repeats the typed text.
  package var message: String { Texts.english[self] }
}
