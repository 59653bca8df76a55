import Foundation

/// A JSON value, whose parts are `null` where they do not exist.
enum JSONValue: Decodable {
  case object([String: JSONValue])
  case array([JSONValue])
  case string(String)
  case number(Double)
  case boolean(Bool)
  case null

  /// Parses a text.
  ///
  /// - Parameter text: The JSON text.
  init(_ text: String) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// The member of an object.
  subscript(name: String) -> JSONValue { members[name] ?? .null }

  /// The members; none if the value is not an object.
  var members: [String: JSONValue] {
    if case .object(let members) = self { members } else { [:] }
  }

  /// The elements; none if the value is not an array.
  var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// The text; `nil` if the value is not a string.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number; `nil` if the value is not a whole number.
  var integer: Int? {
    if case .number(let number) = self { Int(exactly: number) } else { nil }
  }

  /// The values of all members `$ref`, at any depth.
  var references: Set<String> {
    var references = Set(elements.flatMap(\.references))
    for (name, value) in members {
      if name == "$ref", let text = value.text { references.insert(text) }
      references.formUnion(value.references)
    }
    return references
  }
}
