/// A row of an imported file.
package struct ImportRow: Sendable {
  /// The line in which the row begins, from 1.
  package let line: Int
  /// The cells in the order of the columns.
  package let cells: [String]
  /// The columns that have something in this row which is not a text, such as a list.
  let unreadable: Set<Int>
  /// The consents of a person of an Enlist export.
  package let consents: [ExportedConsent]
  package let isMalformed: Bool
  /// The line of NDJSON.
  package let object: String?

  package init(
    line: Int, cells: [String], unreadable: Set<Int> = [], consents: [ExportedConsent] = [],
    isMalformed: Bool = false, object: String? = nil
  ) {
    self.line = line
    self.cells = cells
    self.unreadable = unreadable
    self.consents = consents
    self.isMalformed = isMalformed
    self.object = object
  }

  /// Whether a spreadsheet has left the row empty.
  package var isEmpty: Bool {
    unreadable.isEmpty && cells.allSatisfy { $0.allSatisfy(\.isWhitespace) }
  }
}
