/// The reason a template cannot be used.
package struct TemplateError: Error, Hashable, Sendable {
  /// The name of the file, such as `confirm.de.html`.
  package let file: String
  /// The position of the error; `nil` if it concerns the whole file.
  package var position: Position?
  /// The message, without a final period.
  package let reason: String

  package struct Position: Hashable, Sendable {
    /// The line, from 1.
    package let line: Int
    /// The column in characters, from 1.
    package let column: Int
  }
}

extension TemplateError: CustomStringConvertible {
  /// One line, such as `confirm.de.html:12:4: section is not closed`.
  package var description: String {
    let place = position.map { ":\($0.line):\($0.column)" } ?? ""
    return "\(file)\(place): \(reason)"
  }
}
