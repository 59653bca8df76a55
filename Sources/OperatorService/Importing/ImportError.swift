/// The reason why a file cannot be imported.
package enum ImportError: Error, Hashable, CustomStringConvertible {
  case noColumns
  case noAddresses(columns: [String])
  case notImported(ImportSource, remedy: String)
  case noState(ImportSource)
  case unknownColumn(String)
  case cannotOpen(file: String, reason: String)

  package var description: String {
    switch self {
    case .noColumns: "the file has no header: the first line must name its columns"
    case .noAddresses(let columns):
      "no column is named like an address: add --map address=COLUMN with one of \(columns.joined(separator: ", "))"
    case .notImported(let source, let remedy):
      "this is an export of \(source.name), whose columns are not known; add \(remedy)"
    case .noState(.listmonk):
      "listmonk does not say who has left a list: export each by subscription status, and add --state"
    case .noState: "no column has the state: add --map state=COLUMN, or --state for all rows"
    case .unknownColumn(let name): "the file has no column \(name)"
    case .cannotOpen(let file, let reason): "cannot open \(file): \(reason)"
    }
  }
}
