internal import Mustache

/// A template of a mail's text or HTML.
struct MailTemplate: Sendable {
  /// The format, which decides how values are escaped.
  enum Format: String, CaseIterable {
    case text = "txt"
    case html
  }

  /// The name of the file.
  let file: String
  private let source: String
  private let template: MustacheTemplate
  /// The lines that ``template`` has before those of ``source``.
  private static let extraLines = 1
  /// How many sections may be inside one another: parsing and rendering use the stack for each.
  private static let maximumDepth = 16

  /// Parses a template.
  init(_ source: String, file: String, format: Format) throws(TemplateError) {
    let source = source.replacing("\r\n", with: "\n")
    self.file = file
    self.source = source
    try Self.checkTags(in: source, of: file)
    let type =
      switch format {
      case .text: "TEXT"
      case .html: "HTML"
      }
    do {
      template = try MustacheTemplate(string: "{{% CONTENT_TYPE: \(type) }}\n" + source)
    } catch let error as MustacheTemplate.ParserError {
      let position = TemplateError.Position(
        line: max(1, error.context.lineNumber - Self.extraLines),
        column: error.context.columnNumber
      )
      throw TemplateError(file: file, position: position, reason: Self.reason(error.error))
    } catch {
      throw TemplateError(file: file, position: nil, reason: "the template is invalid")
    }
  }

  /// Rejects what a mail does not need: partials, other delimiters, and deeply nested sections.
  private static func checkTags(in source: String, of file: String) throws(TemplateError) {
    var depth = 0
    var rest = source[...]
    while let tag = rest.firstRange(of: "{{") {
      rest = rest[tag.upperBound...]
      let reason: String
      switch rest.first {
      case ">", "<": reason = "partials are not supported"
      case "=": reason = "other delimiters are not supported"
      case "#", "^", "$":
        depth += 1
        guard depth > maximumDepth else { continue }
        reason = "more than \(maximumDepth) sections are inside one another"
      case "/":
        depth -= 1
        continue
      default: continue
      }
      let position = position(at: tag.lowerBound, in: source)
      throw TemplateError(file: file, position: position, reason: reason)
    }
  }

  /// Renders the template.
  func render(_ values: TemplateValues) -> String {
    template.render(values)
  }

  /// Returns the position of the first use of a name; `nil` if it is not found.
  func position(ofName name: String) -> TemplateError.Position? {
    var rest = source[...]
    while let tag = rest.firstRange(of: "{{") {
      let end = rest[tag.upperBound...].firstRange(of: "}}")?.lowerBound ?? rest.endIndex
      if rest[tag.upperBound..<end].contains(name) {
        return Self.position(at: tag.lowerBound, in: source)
      }
      rest = rest[tag.upperBound...]
    }
    return nil
  }

  private static func position(at index: String.Index, in source: String) -> TemplateError.Position
  {
    let before = source[..<index]
    let lineStart = before.lastIndex(of: "\n").map { source.index(after: $0) } ?? source.startIndex
    return TemplateError.Position(
      line: before.count { $0 == "\n" } + 1,
      column: source.distance(from: lineStart, to: index) + 1
    )
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? MustacheTemplate.Error else { return "tag is not closed" }
    return switch error {
    case .sectionCloseNameIncorrect: "the name differs from that of the open section"
    case .unfinishedName: "the name is invalid, or the tag is not closed"
    case .expectedSectionEnd: "section is not closed"
    case .invalidSetDelimiter: "the delimiters are invalid"
    case .transformAppliedToInheritanceSection, .illegalTokenInsideInheritSection,
      .textInsideInheritSection:
      "inheritance is not supported"
    case .invalidConfigVariableSyntax, .unrecognisedConfigVariable: "the pragma is invalid"
    }
  }
}
