internal import Platform

/// The reason why a file cannot be imported.
package enum ImportError: Error, Hashable, CustomStringConvertible {
  case noColumns
  /// No line of NDJSON is an object.
  case noObjects
  /// The file is not text in UTF-8: what it is, and what to do.
  case otherFile(String)
  case notUTF8(line: Int)
  case tooManyColumns
  /// The first line has an address, so it is not a header.
  case noHeader
  case noAddresses(columns: [String])
  case notImported(ImportSource, remedy: String)
  case noState(ImportSource)
  /// Columns that are not read may say who has left.
  case unreadStatus([StatusColumns.Objection])
  /// The people of a file of Mailchimp have never agreed to any mail.
  case neverAgreed
  /// A cell begins with an apostrophe, as in our exports, but the file is another one.
  case apostrophe(line: Int)
  case unknownColumn(String, columns: [String])
  /// It is uncertain where the row of a line ends.
  case uncertainEnd(line: Int)
  case cannotOpen(file: String, reason: String)

  package var description: String {
    switch self {
    case .noColumns: "the file has no header: the first line must name its columns"
    case .noObjects: "no line is an object of JSON: use jq -c . FILE | enlist import -"
    case .otherFile(let remedy): "the file is \(remedy)"
    case .notUTF8(let line):
      """
      line \(line) is not UTF-8; nothing was imported: save the file as CSV UTF-8, or if it is \
      windows-1252, as Excel's CSV often is, use iconv -f windows-1252 -t utf-8
      """
    case .tooManyColumns: "the file has more than 1,000 columns"
    case .noHeader:
      "the first line is a person, but must name the columns: add a line above it, such as address"
    case .noAddresses(let columns):
      "no column is named like an address: add --map address=COLUMN with one of \(Self.list(columns))"
    case .notImported(let source, let remedy):
      "this is an export of \(source.name), whose columns are not known; add \(remedy)"
    case .noState(.listmonk):
      "listmonk does not say who has left a list: export each by subscription status, and add --state"
    case .noState(.mailchimp):
      "the file does not say who has left: give it the name that Mailchimp gave it, or add --state"
    case .noState:
      "no column has the state: add --map state=COLUMN, or --state if all have the same"
    case .unreadStatus(let objections): Self.question(objections)
    case .neverAgreed:
      "these people never agreed to any mail, as Mailchimp's name of the file says: do not import them"
    case .apostrophe(let line):
      """
      line \(line) has a cell that begins with an apostrophe, as in an export of Enlist: add \
      --from enlist, which removes it, or --from other if it belongs to the cell
      """
    case .unknownColumn(let name, let columns):
      "the file has no column \(name), but \(Self.list(columns))"
    case .uncertainEnd(let line):
      """
      a quote or a line end in the wrong place makes it uncertain where the row of line \(line) \
      ends; nothing was imported
      """
    case .cannotOpen(let file, let reason): "cannot open \(file): \(reason)"
    }
  }

  private static func question(_ objections: [StatusColumns.Objection]) -> String {
    let single = objections.count == 1 ? objections.first : nil
    let columns = objections.map { "\($0.column) (\($0.values))" }.joined(separator: ", ")
    let subject =
      single.map { "column \($0.column) may say who has left (\($0.values))" }
      ?? "columns \(columns) may say who has left"
    let maps = objections.map { objection in
      let column = quoted(objection.column)
      return objection.hasDates
        ? "--map unsubscribed_at=\(column)"
        : "--map state=\(column),VALUE=STATE with a state for each value"
    }
    let ignored = objections.map { "--ignore \(quoted($0.column))" }.joined(separator: " ")
    return """
      \(subject): add \(maps.joined(separator: ", or ")), or import a file for each with its --state, \
      or add \(ignored) \(single == nil ? "for what does" : "if it does") not say so
      """
  }

  /// The name of a column as a shell takes it.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: "-")
    }
    return isPlain ? name : "'\(name.replacing("'", with: "'\\''"))'"
  }

  /// The names that columns have, with invisible characters as `\u{200b}`.
  private static func list(_ columns: [String]) -> String {
    let names = columns.filter { !$0.isEmpty }.map { name in
      name.unicodeScalars.map { scalar in
        let isVisible =
          scalar == " "
          || !scalar.properties.isWhitespace && scalar.properties.generalCategory != .format
        return isVisible ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      }.joined()
    }
    return names.joined(separator: ", ")
  }
}
