/// A template of a mail's text or HTML: Mustache with values, sections and comments.
struct MailTemplate: Sendable {
  /// The format; values are escaped in HTML.
  enum Format: String, CaseIterable {
    case text = "txt"
    case html
  }

  /// A tag, and the text before it.
  private struct Tag {
    let text: Substring
    /// The character after `{{`, which is the first character of the name if the tag is a value.
    let kind: Character
    let name: String
    let index: String.Index
    /// The index of the tag after the section that this tag opens.
    var end = 0
  }

  /// The name of the file, for errors.
  let file: String
  private let format: Format
  private let source: String
  private var tags: [Tag] = []
  /// The text after the last tag.
  private var rest: Substring

  private static let maximumDepth = 16
  /// The features of Mustache that mails do not need, by kind of tag.
  private static let unsupported: [Character: String] = [
    ">": "partials", "<": "partials", "=": "other delimiters", "$": "blocks", "%": "pragmas",
  ]

  /// Parses a template.
  init(_ source: String, file: String, format: Format) throws(TemplateError) {
    self.file = file
    self.format = format
    self.source = source.utf8.contains(13) ? source.replacing("\r\n", with: "\n") : source
    rest = self.source[...]
    var isAtLineStart = true
    var sections: [Int] = []
    while let opening = Self.range(of: "{{", in: rest) {
      let index = opening.lowerBound
      var text = rest[..<index]
      rest = rest[opening.upperBound...]
      let kind = rest.first ?? "}"
      if let feature = Self.unsupported[kind] {
        throw error("\(feature) are not supported", at: index)
      }
      guard let closing = Self.range(of: kind == "{" ? "}}}" : "}}", in: rest) else {
        throw error("tag is not closed", at: index)
      }
      let content = rest[..<closing.lowerBound].dropFirst("#^/!{&".contains(kind) ? 1 : 0)
      rest = rest[closing.upperBound...]
      isAtLineStart = "#^/!".contains(kind) && Self.removeLine(&text, &rest, isAtLineStart)
      let name = kind == "!" ? "" : try name(in: content, sections, at: index)
      tags.append(Tag(text: text, kind: kind, name: name, index: index))
      switch kind {
      case "#", "^":
        sections.append(tags.count - 1)
        guard sections.count <= Self.maximumDepth else {
          throw error("more than \(Self.maximumDepth) sections are inside one another", at: index)
        }
      case "/":
        guard let section = sections.popLast(), tags[section].name == name else {
          let reason = "the name differs from that of the open section"
          throw error(reason, at: content.startIndex)
        }
        tags[section].end = tags.count
      default: break
      }
    }
    guard sections.isEmpty else { throw error("section is not closed", at: rest.endIndex) }
  }

  /// Returns the first range of a delimiter; parsing takes ten times as long with
  /// `utf8.firstRange(of:)`.
  private static func range(of delimiter: String, in text: Substring) -> Range<String.Index>? {
    var rest = text.utf8
    while let start = rest.firstIndex(where: { $0 == delimiter.utf8.first }) {
      rest = rest[start...]
      let range = rest.prefix(delimiter.utf8.count)
      if range.elementsEqual(delimiter.utf8) { return start..<range.endIndex }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Removes the line of a tag from the text around the tag if the line is otherwise blank, and
  /// returns whether it did.
  private static func removeLine(
    _ before: inout Substring, _ after: inout Substring, _ isAtLineStart: Bool
  ) -> Bool {
    func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
    let lines = before.lastIndex { !isBlank($0) }.map { before[...$0] } ?? before.prefix(0)
    let next = after.drop(while: isBlank)
    guard lines.isEmpty ? isAtLineStart : lines.last == "\n" else { return false }
    guard next.isEmpty || next.first == "\n" else { return false }
    before = lines
    after = next.dropFirst()
    return true
  }

  /// Returns the name in a tag; `.` is the name of the innermost section.
  private func name(
    in content: Substring, _ sections: [Int], at index: String.Index
  ) throws(TemplateError) -> String {
    let words = content.split(whereSeparator: \.isWhitespace)
    guard words.count == 1,
      words[0].allSatisfy({ $0.isLetter || $0.isNumber || ".-_".contains($0) })
    else { throw error("the name is invalid, or the tag is not closed", at: index) }
    guard words[0] == "." else { return String(words[0]) }
    guard let section = sections.last(where: { tags[$0].kind == "#" }) else {
      throw error("no section is open", at: index)
    }
    return tags[section].name
  }

  /// Renders the template, without the sections whose values are empty.
  ///
  /// An unknown name counts as an empty value; the first one sets `error` unless it is already set.
  func render(_ values: [String: String], _ error: inout TemplateError?) -> String {
    var result = ""
    var index = 0
    while index < tags.count {
      let tag = tags[index]
      index += 1
      result += tag.text
      if tag.kind == "/" || tag.kind == "!" { continue }
      let known = values[tag.name]
      if known == nil, error == nil {
        error = self.error("unknown name \(tag.name)", at: tag.index)
      }
      let value = known ?? ""
      switch tag.kind {
      case "#": if value.isEmpty { index = tag.end }
      case "^": if !value.isEmpty { index = tag.end }
      case "{", "&": result += value
      default: result += format == .html ? Self.escaped(value) : value
      }
    }
    return result + rest
  }

  static func escaped(_ value: String) -> String {
    // Few values have a character to escape.
    guard value.utf8.contains(where: { "<>&\"'".utf8.contains($0) }) else { return value }
    return value.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  private func error(_ reason: String, at index: String.Index) -> TemplateError {
    let lines = source[..<index].split(separator: "\n", omittingEmptySubsequences: false)
    let column = (lines.last?.count ?? 0) + 1
    let position = TemplateError.Position(line: lines.count, column: column)
    return TemplateError(file: file, position: position, reason: reason)
  }
}
