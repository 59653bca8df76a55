/// A person as an object of JSON: of `enlist export`, of another product, or of a request.
package struct ExportedPerson: Decodable, Sendable {
  /// The names of all members except the consents, with those of the fields, sorted.
  package let names: [String]
  private let texts: [String: String]
  /// The owner's fields.
  private let fields: [String: String]
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
    var consents: [ExportedConsent] = []
    var (texts, fields) = ([String: String](), [String: String]())
    var (names, mistyped) = (Set<String>(), Set<String>())
    for key in container.allKeys where try !container.decodeNil(forKey: key) {
      switch key.stringValue {
      case "fields":
        guard let values = try? container.nestedContainer(keyedBy: Name.self, forKey: key) else {
          mistyped.insert("fields")
          continue
        }
        for name in values.allKeys where try !values.decodeNil(forKey: name) {
          names.insert(name.stringValue)
          fields[name.stringValue] = Self.text(name, in: values)
          if (try? values.decode(String.self, forKey: name)) == nil { mistyped.insert("fields") }
        }
      case "consents":
        let decoded = try? container.decode([ExportedConsent].self, forKey: key)
        consents = decoded ?? []
        if decoded == nil { mistyped.insert("consents") }
      case let name:
        names.insert(name)
        texts[name] = Self.text(key, in: container)
        if (try? container.decode(String.self, forKey: key)) == nil { mistyped.insert(name) }
      }
    }
    self.names = names.sorted()
    self.texts = texts
    self.fields = fields
    self.consents = consents
    self.mistyped = mistyped
  }

  /// The text of a member or field; `nil` if there is none, or what is there is not a text.
  package func text(of name: String) -> String? { texts[name] ?? fields[name] }

  /// Whether there is something other than a text, a number, a truth value or nothing.
  package func isUnreadable(_ name: String) -> Bool { text(of: name) == nil }

  private static func text(_ key: Name, in container: KeyedDecodingContainer<Name>) -> String? {
    if let text = try? container.decode(String.self, forKey: key) { return text }
    if let number = try? container.decode(Int.self, forKey: key) { return "\(number)" }
    if let number = try? container.decode(Double.self, forKey: key) { return "\(number)" }
    if let value = try? container.decode(Bool.self, forKey: key) { return "\(value)" }
    return nil
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
  let fields: [String: String?]?
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
