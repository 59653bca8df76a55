/// A test as a drawing: what goes in, row by row, and in the last row what comes out.
///
/// One column is one second: `-` nothing, a letter or digit a value, `|` completed, `#` failed with
/// a ``MarbleError``. What stands in parentheses happens in one column: `(ab|)`.
///
/// ```swift
/// let marbles: Marbles = [
///   "ab---c---|",
///   "----b---c|",
/// ]
/// ```
public struct Marbles: ExpressibleByArrayLiteral, Equatable, Sendable, CustomStringConvertible {
  /// All rows as they were written.
  public let rows: [String]

  /// Makes a drawing of its rows.
  ///
  /// - Parameter rows: The sources, then what is expected.
  public init(arrayLiteral rows: String...) {
    self.rows = rows
  }

  /// The first row.
  public var source: String { rows.first ?? "" }

  /// All rows but the last.
  public var sources: [String] { Array(rows.dropLast()) }

  /// The last row, without the dashes at its end, where nothing happens any more.
  public var expected: String { Self.trimmed(rows.last ?? "") }

  /// The rows, one below the other.
  public var description: String { rows.joined(separator: "\n") }

  /// A row without the dashes at its end.
  static func trimmed(_ row: String) -> String {
    String(row.reversed().drop { $0 == "-" }.reversed())
  }

  /// What happens in each second of a row.
  static func columns(of row: String) -> [[Character]] {
    var columns: [[Character]] = []
    var group: [Character]?
    for character in row {
      switch character {
      case "(":
        group = []
      case ")":
        columns.append(group ?? [])
        group = nil
      case _ where group != nil:
        group?.append(character)
      case "-":
        columns.append([])
      default:
        columns.append([character])
      }
    }
    return columns
  }
}

/// The error that `#` stands for.
public struct MarbleError: Error, Equatable, CustomStringConvertible {
  /// Makes one; all are alike.
  public init() {}

  /// How a drawing shows it.
  public var description: String { "#" }
}
