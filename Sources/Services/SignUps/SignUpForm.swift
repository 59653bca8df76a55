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
  /// The values of the owner's fields that are not empty, by name.
  let values: [String: String]
  /// The proof of consent: the text that the person agreed to, and the origin of the request.
  let consent: Consent

  init(_ request: Request, to service: SignUpService) throws(ProblemDetails) {
    let fields = try SentFields(request)
    switch try fields.email() {
    case .success(let typed): email = typed
    case .failure(let error): throw error.problem
    }
    let consent = try fields.text("consent")
    let locale = try fields.text("locale")
    let next = try fields.text("next").flatMap { $0.isEmpty ? nil : $0 }
    guard locale.map(Self.isLanguageTag) ?? true else { throw .invalidField("locale", .locale) }
    let own = service.pages.frame.profile.fields
    values = try fields.values(of: own)
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
      let hashes = service.optInKeys.map { keys in
        AddressHashes(
          mailbox: keys.mailbox(address.canonicalKey, hasSubaddress: address.hasSubaddress),
          suppressions: keys.suppressions(address.key))
      }
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
  init(_ request: Request, with typed: String? = "email") throws(ProblemDetails) {
    do throws(BodyError) {
      let fields = try BodyFields.decode(request)
      if let typed, fields.containsDamagedText(besides: typed) { throw .malformed(.damagedField) }
      self.fields = fields
    } catch {
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

  /// Returns the values of the owner's fields that are not empty.
  func values(of own: [FormField]) throws(ProblemDetails) -> [String: String] {
    var values: [String: String] = [:]
    for field in own {
      guard let value = try anyText(field.name), !value.isEmpty else {
        guard !field.isRequired else { throw .invalidField(field.name, .missing) }
        continue
      }
      guard value.count <= FormField.maximumCharacters, value.utf8.count <= Self.maximumBytes else {
        let limit = ProblemText.Argument("characters", FormField.maximumCharacters)
        throw .invalidField(field.name, .tooManyCharacters, [limit])
      }
      guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      else { throw .invalidField(field.name, .controlCharacter) }
      values[field.name] = value
    }
    return values
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
