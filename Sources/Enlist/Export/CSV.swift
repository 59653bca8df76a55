/// Comma-separated values (RFC 4180) that are safe to open in a spreadsheet.
enum CSV {
  static func record(_ cells: [String]) -> String {
    cells.map(cell).joined(separator: ",") + "\r\n"
  }

  /// Formats a cell, in quotes if needed, and with an apostrophe if a spreadsheet would treat it as
  /// a formula.
  ///
  /// `=`, `+`, `-` and `@` start a formula, even after a tab or a carriage return, and both
  /// `=1+1@example.org` and `'=1+1@example.org` are valid addresses. Text that starts with an
  /// apostrophe gets another one, so that different texts never produce the same cell and an import
  /// can remove exactly one apostrophe.
  private static func cell(_ text: String) -> String {
    let needsApostrophe =
      text.unicodeScalars.first.map { "=+-@\t\r'".unicodeScalars.contains($0) } ?? false
    let harmless = needsApostrophe ? "'\(text)" : text
    // Compares scalars because CR LF is a single character.
    guard harmless.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else {
      return harmless
    }
    return
      "\"\(harmless.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}
