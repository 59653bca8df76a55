internal import Platform
internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The fields of a sign-up form, read from the body of a request.
struct SignUpForm: Sendable {
  /// The typed address, which is not validated; empty if the field is missing.
  let email: String
  /// The URL to which the form redirects after the sign-up.
  let next: String?
  /// The values of the owner's fields that are not empty, by name.
  let values: [String: String]
  /// The proof of consent: the text that the person agreed to, and the origin of the request.
  let consent: Consent

  init(
    _ request: Request, keeping address: ConsentAddress = .truncated, with own: [FormField] = [],
    _ details: MailDetails? = nil
  ) throws(SignUpFormError) {
    let fields = try Self.fields(of: request)
    email = try Self.email(in: fields)
    let consent = try Self.text("consent", in: fields)
    let locale = try Self.text("locale", in: fields)
    let next = try Self.text("next", in: fields)
    try Self.checkLength(of: consent, named: "consent")
    try Self.checkLength(of: next, named: "next")
    if let locale, !Self.isLanguageTag(locale) {
      throw .problem(.invalidField("locale", .locale))
    }
    values = try Self.values(of: own, in: fields)
    self.next = next.flatMap { $0.isEmpty ? nil : $0 }
    self.consent = Consent(
      consent, locale: locale ?? details?.locale(of: request),
      next: self.next.flatMap { details?.next($0) },
      fields: JSONText.object(values, inOrderOf: own.map(\.name)), of: request, keeping: address)
  }

  /// Reads only the typed address of a form, which is not validated; empty if the field is missing.
  static func email(of request: Request) throws(SignUpFormError) -> String {
    try email(in: try fields(of: request))
  }

  /// Creates the request to join the list, and validates the address, which happens only here.
  ///
  /// - Parameter details: Hashes the address for a mail; `nil` in a service without mail.
  func request(
    id: ExecutionID, time: Timestamp, hashing details: MailDetails? = nil,
    validating validate: (String) throws(EmailAddressError) -> EmailAddress
  ) -> SignUpRequest {
    do throws(EmailAddressError) {
      let address = try validate(email)
      let signUp = SignUp(
        id: id, address: address, time: time, consent: consent, hashes: details?.hashes(of: address)
      )
      return SignUpRequest(id: id, signUp: .success(signUp))
    } catch {
      return SignUpRequest(id: id, signUp: .failure(error))
    }
  }

  private static func values(
    of own: [FormField], in fields: BodyFields
  ) throws(SignUpFormError) -> [String: String] {
    var values: [String: String] = [:]
    for field in own {
      guard let value = try text(field.name, in: fields), !value.isEmpty else {
        guard !field.isRequired else { throw .problem(.invalidField(field.name, .missing)) }
        continue
      }
      guard value.count <= FormField.maximumCharacters, value.utf8.count <= maximumBytes else {
        let limit = ProblemText.Argument("characters", FormField.maximumCharacters)
        throw .problem(.invalidField(field.name, .tooManyCharacters, [limit]))
      }
      guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      else { throw .problem(.invalidField(field.name, .controlCharacter)) }
      values[field.name] = value
    }
    return values
  }

  /// The maximum length of a field that is stored or sent back in a header field.
  private static let maximumBytes = 2048

  private static func fields(of request: Request) throws(SignUpFormError) -> BodyFields {
    do throws(BodyError) {
      let fields = try BodyFields.decode(request)
      guard !fields.containsDamagedText(besides: "email") else {
        throw .malformed(.damagedField)
      }
      return fields
    } catch {
      throw .problem(error.problem)
    }
  }

  private static func email(in fields: BodyFields) throws(SignUpFormError) -> String {
    switch try value("email", in: fields) {
    case .text(let typed): return typed
    case nil: return ""
    case .damagedText: throw .invalidAddress(EmailAddressError(.invalidUnicode))
    case .other: throw .problem(.invalidField("email", .email))
    }
  }

  private static func text(_ name: String, in fields: BodyFields) throws(SignUpFormError) -> String?
  {
    switch try value(name, in: fields) {
    case .text(let text): return text
    // The decoded body has no damaged text except in the address.
    case nil, .damagedText: return nil
    case .other: throw .problem(.invalidField(name, .notString))
    }
  }

  private static func value(
    _ name: String, in fields: BodyFields
  ) throws(SignUpFormError) -> BodyFields.Value? {
    do throws(BodyError) {
      return try fields.value(name)
    } catch {
      throw .problem(error.problem)
    }
  }

  private static func checkLength(of text: String?, named name: String) throws(SignUpFormError) {
    guard let text, text.utf8.count > maximumBytes else { return }
    throw .problem(.invalidField(name, .tooLong, [.init("bytes", maximumBytes)]))
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

/// The reason why a form could not be read.
enum SignUpFormError: Error {
  /// The address is not valid Unicode, so it cannot be validated as text.
  case invalidAddress(EmailAddressError)
  /// The body cannot be read, or one of its fields has an invalid value.
  case problem(ProblemDetails)

  var problem: ProblemDetails {
    switch self {
    case .invalidAddress(let error): error.problem
    case .problem(let problem): problem
    }
  }
}
