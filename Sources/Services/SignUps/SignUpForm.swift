internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Platform
internal import Security

/// What a visitor has typed, and the proof of consent.
struct SignUpForm: Sendable {
  /// The typed address, which is not validated; empty if the field is missing.
  let email: String
  /// The URL to which the form redirects after the sign-up.
  let next: String?
  /// The valid values of the owner's fields that are not empty, by name.
  let values: [String: String]
  /// Why what was typed is invalid, beside the rules of addresses; `nil` if it is not.
  let problem: ProblemDetails?
  /// The proof of consent: the text that the person agreed to, and the origin of the request.
  let consent: Consent

  init(_ request: Request, to service: SignUpService) throws(ProblemDetails) {
    let fields = try SentFields(request, reporting: service.origins.reportEncoding)
    let damage: ProblemDetails?
    switch try fields.email() {
    case .success(let typed): (email, damage) = (typed, nil)
    case .failure(let error): (email, damage) = ("", error.problem)
    }
    let consent = try fields.text("consent")
    let locale = try fields.text("locale")
    let next = try fields.text("next").flatMap { $0.isEmpty ? nil : $0 }
    guard locale.map(Self.isLanguageTag) ?? true else { throw .invalidField("locale", .locale) }
    let own = service.pages.profile.fields
    let (values, invalid) = try fields.values(of: own)
    self.values = values
    problem = damage ?? invalid
    self.next = next
    let sendsMail = service.optInKeys != nil
    self.consent = Consent(
      consent,
      // The language of the mail if the form has none: that of the pages.
      locale: locale ?? (sendsMail ? service.pages.texts.language(preferredBy: request) : nil),
      // The confirmation redirects as well, if that is still allowed then.
      next: sendsMail ? next.flatMap { service.origins.permitsRedirect(to: $0) ? $0 : nil } : nil,
      fields: JSONText.object(values, inOrderOf: own.map(\.name)), of: request,
      keeping: service.dependencies.consentAddress)
  }

  /// Creates the request to join the list, and validates the address, which happens only here.
  func request(id: ExecutionID, at time: Timestamp, to service: SignUpService) -> SignUpRequest {
    do throws(EmailAddressError) {
      let dependencies = service.dependencies
      let address = try dependencies.validate(email, dependencies.emailLevel)
      let hashes = service.optInKeys.map { $0.hashes(of: address) }
      let signUp = SignUp(id: id, address: address, time: time, consent: consent, hashes: hashes)
      return SignUpRequest(id: id, signUp: .success(signUp))
    } catch {
      return SignUpRequest(id: id, signUp: .failure(error))
    }
  }

  /// Returns whether a text has the form of a language tag (RFC 5646 §2.1).
  ///
  /// A language tag has at most eight subtags of one to eight letters or digits; the first has only
  /// letters.
  private static func isLanguageTag(_ text: String) -> Bool {
    let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard text.utf8.count <= 35, subtags.count <= 8, let first = subtags.first else { return false }
    return first.allSatisfy { $0.isASCIILetter }
      && subtags.allSatisfy { subtag in
        (1...8).contains(subtag.count)
          && subtag.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
      }
  }
}

/// The fields in the body of a request, whose errors are problems.
struct SentFields {
  /// The maximum length of a field that is stored or sent back in a header field.
  private static let maximumBytes = 2048

  private let fields: BodyFields

  /// - Parameter typed: The field that a person types. Damaged text makes it invalid, and in another
  ///   field the whole body malformed; with `nil`, the other fields do not matter.
  /// - Parameter report: Called if text is damaged.
  init(
    _ request: Request, with typed: String? = "email", reporting report: () -> Void = {}
  ) throws(ProblemDetails) {
    do throws(BodyError) {
      let fields = try BodyFields.decode(request)
      if fields.damagedField() != nil { report() }
      if let typed, let name = fields.damagedField(besides: typed) {
        throw .malformed(.damagedField, [.init("name", name)])
      }
      self.fields = fields
    } catch {
      if error == .malformed(.fieldName) { report() }
      throw error.problem
    }
  }

  /// Returns the typed address, empty if the field is missing; text that is not Unicode is not an
  /// address.
  func email() throws(ProblemDetails) -> Result<String, EmailAddressError> {
    switch try value("email") {
    case .text(let typed): .success(typed)
    case nil, .null: .success("")
    case .damagedText: .failure(EmailAddressError(.invalidUnicode))
    case .other: throw .invalidField("email", .email)
    }
  }

  /// Returns the text of a field that is stored or sent back; `nil` if it is missing.
  func text(_ name: String) throws(ProblemDetails) -> String? {
    let text = try anyText(name)
    guard text?.utf8.count ?? 0 <= Self.maximumBytes else {
      throw .invalidField(name, .tooLong, [.init("bytes", Self.maximumBytes)])
    }
    return text
  }

  /// Returns the valid values of the owner's fields that are not empty, and why the first of the
  /// others is invalid.
  func values(
    of own: [FormField]
  ) throws(ProblemDetails) -> (valid: [String: String], problem: ProblemDetails?) {
    var valid: [String: String] = [:]
    var problem: ProblemDetails?
    for field in own {
      let value = try anyText(field.name) ?? ""
      if let reason = Self.problem(with: value, of: field) {
        problem = problem ?? reason
      } else if !value.isEmpty {
        valid[field.name] = value
      }
    }
    return (valid, problem)
  }

  private static func problem(with value: String, of field: FormField) -> ProblemDetails? {
    if value.isEmpty { return field.isRequired ? .invalidField(field.name, .missing) : nil }
    guard value.count <= FormField.maximumCharacters, value.utf8.count <= maximumBytes else {
      let limit = ProblemText.Argument("characters", FormField.maximumCharacters)
      return .invalidField(field.name, .tooManyCharacters, [limit])
    }
    // Of the short values, only those with a control character are not accepted.
    return FormField.accepts(value) ? nil : .invalidField(field.name, .controlCharacter)
  }

  /// Returns the code of a mail.
  func code() throws(ProblemDetails) -> ConfirmationCode {
    guard let typed = try anyText("code"), let code = ConfirmationCode(typed) else {
      throw .invalidField("code", .code)
    }
    return code
  }

  private func anyText(_ name: String) throws(ProblemDetails) -> String? {
    switch try value(name) {
    case .text(let text): text
    case nil, .null, .damagedText: nil
    case .other: throw .invalidField(name, .notString)
    }
  }

  private func value(_ name: String) throws(ProblemDetails) -> BodyFields.Value? {
    do throws(BodyError) {
      return try fields.value(name)
    } catch {
      throw error.problem
    }
  }
}
