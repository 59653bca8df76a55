internal import Glibc

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

  /// How many fields a body may have.
  ///
  /// No form has more, and thousands of them would cost as much time as hundreds of sign-ups.
  package static let maximumCount = 32

  /// How long the name of a field may be.
  ///
  /// All names of a body are compared with each other, to find one that is given twice.
  package static let maximumNameBytes = 128

  private var fields: [(name: String, value: Value)] = []

  /// Makes an empty list.
  package init() {}

  /// Adds a field.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - value: What it holds.
  /// - Throws: `BodyError.malformed` when there are too many, or the name is too long.
  package mutating func append(_ name: String, _ value: Value) throws(BodyError) {
    guard fields.count < Self.maximumCount else {
      throw .malformed("The body has more than \(Self.maximumCount) fields.")
    }
    guard name.utf8.count <= Self.maximumNameBytes else {
      throw .malformed("The name of a field is longer than \(Self.maximumNameBytes) bytes.")
    }
    fields.append((name, value))
  }

  /// Whether a name is given more than once, byte by byte.
  var repeatsName: Bool {
    fields.indices.contains { index in
      let name = fields[index].name
      return fields[..<index].contains { Self.areEqual($0.name, name) }
    }
  }

  /// Compares bytes, since `==` compares characters; the corresponding C function is `memcmp`, which
  /// is fast enough for names that are long and differ in their last byte only.
  private static func areEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    var left = left
    var right = right
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard let left = left.baseAddress, let rightBase = right.baseAddress else { return true }
        return memcmp(left, rightBase, right.count) == 0
      }
    }
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
