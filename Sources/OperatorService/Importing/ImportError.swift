/// The reason why a file cannot be imported.
package enum ImportError: Error, Hashable, CustomStringConvertible {
  case noColumns
  case tooManyColumns
  /// The first line has an address, so it is not a header.
  case noHeader
  case noAddresses(columns: [String])
  case notImported(ImportSource, remedy: String)
  case noState(ImportSource)
  /// A column that is not read may say who has left.
  case unreadStatus(column: String, values: String)
  case unknownColumn(String)
  /// It is uncertain where the row of a line ends.
  case uncertainEnd(line: Int)
  case cannotOpen(file: String, reason: String)

  package var description: String {
    switch self {
    case .noColumns: "the file has no header: the first line must name its columns"
    case .tooManyColumns: "the file has more than 1,000 columns"
    case .noHeader:
      "the first line is a person, but must name the columns: add a line above it, such as address"
    case .noAddresses(let columns):
      "no column is named like an address: add --map address=COLUMN with one of \(columns.joined(separator: ", "))"
    case .notImported(let source, let remedy):
      "this is an export of \(source.name), whose columns are not known; add \(remedy)"
    case .noState(.listmonk):
      "listmonk does not say who has left a list: export each by subscription status, and add --state"
    case .noState(.mailchimp):
      "the file does not say who has left: give it the name that Mailchimp gave it, or add --state"
    case .noState:
      "no column has the state: add --map state=COLUMN, or --state if all have the same"
    case .unreadStatus(let column, let values):
      """
      column \(column) may say who has left (\(values)): import a file for each value with its \
      --state, or add --map state=\(column), or --ignore \(column) if it does not say so
      """
    case .unknownColumn(let name): "the file has no column \(name)"
    case .uncertainEnd(let line):
      """
      a quote or a line end in the wrong place makes it uncertain where the row of line \(line) \
      ends; nothing was imported
      """
    case .cannotOpen(let file, let reason): "cannot open \(file): \(reason)"
    }
  }
}
