/// Why a body could not be read.
package enum BodyError: Error, Hashable, Sendable {
  /// It is not what its media type says, with the reason for people.
  case malformed(String)
  /// Its media type, or the character encoding of that, is not one that is read here.
  case unsupportedMediaType
}

/// The fields of a form, or the members of a flat JSON object.
package struct BodyFields: Sendable {
  /// What a field holds.
  package enum Value: Hashable, Sendable {
    /// Text.
    case text(String)
    /// Text with ill-formed UTF-8 or a lone surrogate in it.
    case damagedText
    /// A JSON value that is not text.
    case other
  }

  private var fields: [(name: String, value: Value)] = []

  /// Makes an empty list.
  package init() {}

  /// Adds a field.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - value: What it holds.
  package mutating func append(_ name: String, _ value: Value) {
    fields.append((name, value))
  }

  /// Whether a name is given more than once, octet by octet.
  var repeatsName: Bool {
    guard fields.count > 16 else {
      return fields.indices.contains { index in
        fields[..<index].contains { $0.name.utf8.elementsEqual(fields[index].name.utf8) }
      }
    }
    // Each with each would hold a thread up for long: a body has room for thousands.
    return Set(fields.map { Array($0.name.utf8) }).count < fields.count
  }

  /// Whether some field holds damaged text.
  ///
  /// - Parameter exempt: The name of a field that may; `nil` for none.
  /// - Returns: Whether another one does.
  package func containsDamagedText(besides exempt: String? = nil) -> Bool {
    fields.contains { $0.value == .damagedText && $0.name != exempt }
  }

  /// The value of a field.
  ///
  /// - Parameter name: The name of the field.
  /// - Returns: Its value; `nil` when it is not there.
  /// - Throws: `BodyError.malformed` when it is there more than once: nobody knows which one counts.
  package func value(_ name: String) throws(BodyError) -> Value? {
    var found: Value?
    for field in fields where field.name == name {
      guard found == nil else { throw .malformed("The field \(name) is given more than once.") }
      found = field.value
    }
    return found
  }
}
