/// A key of a text for people.
///
/// The program that responds has the texts, in the languages of its clients. Only an enum of keys
/// can be the text of a problem, so the keys in use can be listed.
package protocol TextKey: CaseIterable, Sendable {
  /// For example `problem.too-large.detail`.
  var key: String { get }
}

extension TextKey where Self: RawRepresentable<String> {
  package var key: String { rawValue }
}

/// The text of a problem: its key, and the values of its arguments.
///
/// A value must not be anything that the client sent.
package struct ProblemText: Hashable, Sendable {
  package struct Argument: Hashable, Sendable {
    /// The name: `bytes` is written as `{bytes}` in the text.
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    package init(_ name: String, _ value: Int) {
      self.init(name, String(value))
    }
  }

  package let key: String
  package let arguments: [Argument]

  /// Creates the text of a type whose problems have one text.
  package init(of type: some ProblemType, _ arguments: [Argument] = []) {
    key = "problem.\(type.rawValue).detail"
    self.arguments = arguments
  }

  package init(_ key: some TextKey, _ arguments: [Argument] = []) {
    self.key = key.key
    self.arguments = arguments
  }
}
