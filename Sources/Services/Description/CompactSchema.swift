internal import Platform

/// A notation of JSON schemas that is as short as the data they describe.
///
/// | notation | schema |
/// |---|---|
/// | `"integer"`, `"date-time"`, `"Event"` | a type, a format of strings, a schema of the source |
/// | `"[Event]"`, `"{string}"` | an array of such elements, an object of such members |
/// | `"a \| b"` | one of these values |
/// | `"string or null"`, `"integer >= 1"` | also `null`, at least 1 |
/// | `"integer; The number."` | with a description |
/// | `{"id": "integer", "name?": "string"}` | an object with these members, the second optional |
/// | `{"//": "A thing.", "id": "integer"}` | with a description |
/// | `[{"id": "integer"}]` | an array of such objects |
/// | `{"schema": …}` | a schema as it is |
enum CompactSchema {
  static func expand(_ notation: JSON) -> JSON {
    switch notation {
    case .string(let text): described(text)
    case .array(let elements): ["type": "array", "items": elements.first.map(expand)]
    case .object(let members): notation["schema"] ?? object(members)
    case .number, .boolean, .null: notation
    }
  }

  private static func object(_ members: [(name: String, value: JSON)]) -> JSON {
    var schema: JSON = ["type": "object"]
    var properties: JSON = [:]
    var required: [JSON] = []
    for (name, value) in members {
      if name == "//" {
        schema["description"] = value
      } else if name.hasSuffix("?") {
        properties[String(name.dropLast())] = expand(value)
      } else {
        properties[name] = expand(value)
        required.append(.string(name))
      }
    }
    if !required.isEmpty { schema["required"] = .array(required) }
    schema["properties"] = properties
    return schema
  }

  private static func described(_ text: String) -> JSON {
    let parts = text.split(separator: "; ", maxSplits: 1).map(String.init)
    var schema = parts.first.map(named) ?? [:]
    if parts.count == 2 { schema["description"] = .string(parts[1]) }
    return schema
  }

  private static func named(_ text: String) -> JSON {
    let inner = String(text.dropFirst().dropLast())
    if text.hasSuffix(" or null") { return orNull(named(String(text.dropLast(8)))) }
    if text.hasPrefix("[") { return ["type": "array", "items": named(inner)] }
    if text.hasPrefix("{") { return ["type": "object", "additionalProperties": named(inner)] }
    if text.contains(" | ") { return ["enum": .array(text.split(separator: " | ").map(value))] }
    if case let parts = text.split(separator: " >= "), parts.count == 2 {
      return ["type": .string(String(parts[0])), "minimum": value(parts[1])]
    }
    if text.first?.isUppercase == true { return Description.reference("schemas", text) }
    let isType = ["string", "integer", "boolean", "object"].contains(text)
    return isType ? ["type": .string(text)] : ["type": "string", "format": .string(text)]
  }

  private static func orNull(_ schema: JSON) -> JSON {
    guard let type = schema["type"] else { return ["oneOf": [schema, ["type": "null"]]] }
    var schema = schema
    schema["type"] = [type, "null"]
    return schema
  }

  private static func value(_ text: Substring) -> JSON {
    text == "null" ? .null : Int(text).map(JSON.number) ?? .string(String(text))
  }
}
