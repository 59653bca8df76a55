/// A row of an imported file.
package struct ImportRow: Sendable {
  /// The line in which the row begins, from 1.
  package let line: Int
  /// The cells in the order of the columns.
  package let cells: [String]
  /// The consents of a person of an Enlist export.
  package let consents: [ExportedConsent]
  package let isMalformed: Bool

  package init(
    line: Int,
    cells: [String],
    consents: [ExportedConsent] = [],
    isMalformed: Bool = false
  ) {
    self.line = line
    self.cells = cells
    self.consents = consents
    self.isMalformed = isMalformed
  }
}
