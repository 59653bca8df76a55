/// Comma-separated values (RFC 4180) that a spreadsheet can open without harm.
enum CSV {
  /// Writes a record.
  ///
  /// - Parameter cells: The texts of its cells.
  /// - Returns: The record and its CRLF.
  static func record(_ cells: [String]) -> String {
    cells.map(cell).joined(separator: ",") + "\r\n"
  }

  /// Writes a cell: in quotes where its text needs them, behind an apostrophe where a spreadsheet
  /// would run it.
  ///
  /// `=`, `+`, `-` and `@` begin a formula, also after a tab or a carriage return; `=1+1@example.org`
  /// is a valid address, and so is `'=1+1@example.org`. Text that begins with an apostrophe gets
  /// another one, so that no two texts are the same cell, and an import removes exactly one.
  private static func cell(_ text: String) -> String {
    let needsApostrophe =
      text.unicodeScalars.first.map { "=+-@\t\r'".unicodeScalars.contains($0) } ?? false
    let harmless = needsApostrophe ? "'\(text)" : text
    // Scalars and not characters: CR and LF together are one character.
    guard harmless.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else {
      return harmless
    }
    return
      "\"\(harmless.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}
