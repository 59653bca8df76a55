/// A row of an imported file.
package struct ImportRow {
  /// The line in which the row begins, from 1.
  package let line: Int
  /// The cells in the order of the columns.
  package let cells: [String]
  /// The consents of a person of an Enlist export; `nil` without them.
  package var consents: [[String: Any]]?
  package var isMalformed = false

  package init(
    line: Int,
    cells: [String],
    consents: [[String: Any]]? = nil,
    isMalformed: Bool = false
  ) {
    self.line = line
    self.cells = cells
    self.consents = consents
    self.isMalformed = isMalformed
  }
}
