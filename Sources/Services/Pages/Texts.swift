internal import EmailAddresses
internal import HTTPSignals
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

  /// Returns the title of a page that shows a form again.
  func refused(_ title: String) -> String { self[.refused].replacing("{title}", with: title) }

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

  func title(of problem: ProblemDetails) -> String { title(of: problem.name) }

  /// Returns the title of a problem type.
  func title(of name: String) -> String { titles[name] ?? name }

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

  /// The problem types of the public listener.
  static let publicProblemNames =
    HTTPProblem.allCases.map(\.rawValue) + ServiceProblem.allCases.map(\.rawValue)

  /// The problem types of both listeners, public and operator's.
  static let problemNames =
    publicProblemNames + KeyProblem.allCases.map(\.rawValue) + APIProblem.allCases.map(\.rawValue)
}

extension EmailAddressError.Reason {
  /// The English message for people; it never repeats the typed text.
  package var message: String { Texts.english[self] }
}

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

/// The texts of the pages.
enum PageText: String, TextKey {
  case title = "page.title"
  case intro = "page.intro"
  case label = "page.label"
  case button = "page.button"
  /// `{}` is the suggestion, also for `embed.js`.
  case suggestion = "page.suggestion"
  case back = "page.back"
  case again = "page.again"
  /// `{title}` is that of the page with the form.
  case refused = "page.refused"
  /// `{list}` is the name of the list, as in all texts below.
  case site = "page.site"
  case privacy = "page.privacy"
  case imprint = "page.imprint"
  /// The message of `embed.js` if the service is unreachable, or does not allow the page.
  case unreachable = "page.unreachable"
  case started = "status.started"
  case completed = "status.completed"
  case failed = "status.failed"
  case thanksNext = "thanks.next"
  case confirmTitle = "confirm.title"
  case confirmIntro = "confirm.intro"
  case confirmButton = "confirm.button"
  case confirmDone = "confirm.done"
  case confirmDoneIntro = "confirm.doneIntro"
  case confirmAlready = "confirm.already"
  case confirmExpired = "confirm.expired"
  case confirmExpiredIntro = "confirm.expiredIntro"
  case confirmRenew = "confirm.renew"
  case confirmRenewed = "confirm.renewed"
  case leaveTitle = "leave.title"
  case leaveIntro = "leave.intro"
  case leaveButton = "leave.button"
  case leaveDone = "leave.done"
  case leaveDoneIntro = "leave.doneIntro"
  case leaveBack = "leave.back"
  case codeTitle = "code.title"
  /// `{address}` is the typed address.
  case codeSent = "code.sent"
  /// Follows ``codeSent``.
  case codePress = "code.press"
  case codeIntro = "code.intro"
  /// Replaces ``codeIntro`` if mails have no code.
  case codeNone = "code.none"
  case codeButton = "code.button"
  case codeConfirmed = "code.confirmed"
  case codeWrongAddress = "code.wrongAddress"
  case problem = "problem.title"
}

/// The texts of problems for visitors, who neither run the service nor write programs for it.
enum VisitorText: String, TextKey {
  case missing = "visitor.missing"
  case missingTitle = "visitor.missingTitle"
  case wait = "visitor.wait"
  case waitTitle = "visitor.waitTitle"
  case elsewhere = "visitor.elsewhere"
  case otherSite = "visitor.otherSite"
  case unreadable = "visitor.unreadable"
  case failed = "visitor.failed"
}
