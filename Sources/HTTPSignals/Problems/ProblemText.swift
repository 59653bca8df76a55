/// A key of a text for people.
///
/// The program that responds has the texts, in the languages of its clients. Only an enum of keys
/// can be the text of a problem, so the keys in use can be listed.
package protocol TextKey: CaseIterable, Sendable {
  /// The key, for example `problem.too-large.detail`.
  var key: String { get }
}

extension TextKey where Self: RawRepresentable<String> {
  /// The raw value.
  package var key: String { rawValue }
}

/// The text of a problem: its key, and the values of its arguments.
///
/// A value must not be anything that the client sent.
package struct ProblemText: Hashable, Sendable {
  /// The value of an argument.
  package struct Argument: Hashable, Sendable {
    /// The name: `bytes` is written as `{bytes}` in the text.
    package let name: String
    /// The value.
    package let value: String

    /// Makes an argument.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// Makes an argument that is a number.
    package init(_ name: String, _ value: Int) {
      self.init(name, String(value))
    }
  }

  /// The key of the text.
  package let key: String
  /// The values of the arguments in the text; most texts have none.
  package let arguments: [Argument]

  /// Makes the text of a key.
  package init(_ key: some TextKey, _ arguments: [Argument] = []) {
    self.key = key.key
    self.arguments = arguments
  }
}
