/// A person as an object of JSON: of `enlist export`, of another product, or of a request.
package struct ExportedPerson: Decodable, Sendable {
  /// The names of all members except the consents and the fields, sorted.
  package let names: [String]
  /// The members that are texts or numbers.
  package let texts: [String: String]
  /// The owner's fields.
  let fields: [String: String]
  package let consents: [ExportedConsent]
  /// The names of members that have another type than an export gives them.
  package let mistyped: Set<String>

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    var texts: [String: String] = [:]
    var fields: [String: String] = [:]
    var consents: [ExportedConsent] = []
    var mistyped: Set<String> = []
    for key in container.allKeys where try !container.decodeNil(forKey: key) {
      let name = key.stringValue
      switch name {
      case "fields":
        let decoded = try? container.decode([String: String].self, forKey: key)
        fields = decoded ?? [:]
        if decoded == nil { mistyped.insert(name) }
      case "consents":
        let decoded = try? container.decode([ExportedConsent].self, forKey: key)
        consents = decoded ?? []
        if decoded == nil { mistyped.insert(name) }
      default:
        if let text = try? container.decode(String.self, forKey: key) {
          texts[name] = text
        } else {
          mistyped.insert(name)
          texts[name] = (try? container.decode(Int.self, forKey: key)).map { "\($0)" }
        }
      }
    }
    names = container.allKeys.map(\.stringValue).filter { !["fields", "consents"].contains($0) }
      .sorted()
    self.texts = texts
    self.fields = fields
    self.consents = consents
    self.mistyped = mistyped
  }
}

/// A consent as `enlist export --consents` writes it.
package struct ExportedConsent: Decodable, Sendable {
  let id: String
  let kind: String
  let at: String
  let means: String?
  let requestID: String?
  let messageID: String?
  let text: String?
  let sourceURL: String?
  let origin: String?
  let ip: String?
  let userAgent: String?
  let locale: String?
  let next: String?
  let fields: [String: String]?
  let wording: Wording?

  struct Wording: Decodable, Sendable {
    let language: String
    let subject: String
    let text: String
  }

  private enum CodingKeys: String, CodingKey {
    case id, kind, at, means
    case requestID = "request_id"
    case messageID = "message_id"
    case text
    case sourceURL = "source_url"
    case origin, ip
    case userAgent = "user_agent"
    case locale, next, fields, wording
  }
}
