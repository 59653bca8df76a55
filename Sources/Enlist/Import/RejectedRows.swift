internal import Glibc
internal import HTTPSignals
internal import Services

/// The file of the rows that an import rejected, which only its owner may read.
///
/// It can be imported once it is corrected.
// Not Sendable: the command's thread uses it.
final class RejectedRows {
  /// The last columns of the file, by which an import recognizes it and which it does not read; a
  /// file may have a `reason` of its own.
  static let columns = ["_line", "_reason", "_suggestion"]
  /// The name of the columns before these for cells that are too many, so that none is lost.
  static let surplus = "_surplus"

  private let path: String?
  private let format: ExportFormat
  /// The columns, with those for cells that are too many.
  private let header: [String]
  private var descriptor: Int32 = -1

  /// The file is made with the first row; `nil` writes none.
  init(path: String?, of rows: ImportRows) {
    self.path = path
    format = rows.format
    header = rows.columns + Array(repeating: Self.surplus, count: rows.width - rows.columns.count)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends a row, with the line, the reason and the suggestion.
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
      if format == .csv { try write(record(header, Self.columns)) }
    }
    let notes = ["\(row.line)", rejection.reason, rejection.suggestion ?? ""]
    try write(format == .csv ? record(row.cells, notes) : Self.object(row, rejection))
  }

  private func record(_ cells: [String], _ more: [String]) -> String {
    let missing = Array(repeating: "", count: max(0, header.count - cells.count))
    return CSV.record(cells.prefix(header.count) + missing + more)
  }

  /// The object as it is, with its consents, behind members whose names no field has; a line that
  /// is no object is one of them.
  private static func object(_ row: ImportRow, _ rejection: ImportMapping.Rejection) -> String {
    let text = row.object ?? ""
    let members = JSONText.line { object in
      object.member("_line", row.line)
      object.member("_reason", rejection.reason)
      object.member("_suggestion", rejection.suggestion)
      if row.cells.isEmpty { object.member("_text", text) }
    }
    guard !row.cells.isEmpty else { return members + "\n" }
    let rest = text.drop { $0 != "{" }.dropFirst()
    let isEmpty = rest.first { !$0.isWhitespace } == "}"
    return members.dropLast() + (isEmpty ? "" : ",") + rest + "\n"
  }

  private func write(_ text: String) throws(OutputError) {
    try OutputStream(descriptor: descriptor).write(text.utf8)
  }
}
