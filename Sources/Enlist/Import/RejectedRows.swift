internal import Glibc
internal import OperatorService

/// The file of the rows that an import rejected, which only its owner may read.
// Not Sendable: the command's thread uses it.
final class RejectedRows {
  private let path: String?
  private let columns: [String]
  private var descriptor: Int32 = -1

  /// The file is made with the first row; `nil` writes none.
  init(path: String?, columns: [String]) {
    self.path = path
    self.columns = columns
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Appends a row, with the line, the reason and the suggestion behind its cells.
  ///
  /// - Throws: `ImportError` if the file cannot be opened, or `OutputError`.
  func append(_ row: ImportRow, _ rejection: ImportMapping.Rejection) throws {
    guard let path else { return }
    if descriptor < 0 {
      let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
      descriptor = open(path, flags, 0o600)
      guard descriptor >= 0 else {
        throw ImportError.cannotOpen(file: path, reason: SystemError.text(of: errno))
      }
      try write(columns + ["line", "reason", "suggestion"])
    }
    let missing = max(0, columns.count - row.cells.count)
    let cells = row.cells.prefix(columns.count) + Array(repeating: "", count: missing)
    try write(cells + ["\(row.line)", rejection.reason, rejection.suggestion ?? ""])
  }

  private func write(_ cells: [String]) throws(OutputError) {
    try OutputStream(descriptor: descriptor).write(Array(CSV.record(cells).utf8))
  }
}
