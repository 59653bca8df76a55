/// The texts of problems in one language, for a service without its own texts.
package struct ProblemWording: Sendable {
  /// Returns the title of a problem's type.
  package let title: @Sendable (ProblemDetails) -> String
  /// Returns the text of a problem.
  package let detail: @Sendable (ProblemText) -> String
  /// Returns the help on a type, by its name; `nil` if there is no such type.
  package let help: @Sendable (String) -> String?

  package init(
    title: @escaping @Sendable (ProblemDetails) -> String,
    detail: @escaping @Sendable (ProblemText) -> String,
    help: @escaping @Sendable (String) -> String?
  ) {
    self.title = title
    self.detail = detail
    self.help = help
  }
}
