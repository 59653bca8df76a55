/// A test as a marble diagram: a row for each source, and the expected result in the last row.
///
/// One column is one second: `-` nothing, a letter or digit a value, `|` completed, `#` failed with
/// a ``MarbleError``. Events in parentheses share one column: `(ab|)`.
///
/// ```swift
/// let marbles: Marbles = [
///   "ab---c---|",
///   "----b---c|",
/// ]
/// ```
///
/// Invalid rows, such as one with an unclosed parenthesis, are rejected with the position of the
/// error.
public struct Marbles: ExpressibleByArrayLiteral, Equatable, Sendable, CustomStringConvertible {
  /// All rows as they were written.
  public let rows: [String]

  /// Makes a diagram of its rows.
  ///
  /// - Parameter rows: The sources, then the expected result; stops the program if one of them is
  ///   invalid.
  public init(arrayLiteral rows: String...) {
    do throws(MarblesError) {
      try self.init(validating: rows)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Makes a diagram of rows that are not literals.
  ///
  /// - Parameter rows: The sources, then the expected result.
  /// - Throws: `MarblesError` if one of them is invalid.
  public init(validating rows: [String]) throws(MarblesError) {
    for row in rows { _ = try Self.parse(row) }
    self.rows = rows
  }

  /// The first row.
  public var source: String { rows.first ?? "" }

  /// All rows but the last.
  public var sources: [String] { Array(rows.dropLast()) }

  /// The last row, without trailing dashes.
  public var expected: String { Self.trimmed(rows.last ?? "") }

  /// The rows, one below the other.
  public var description: String { rows.joined(separator: "\n") }

  /// A row without trailing dashes.
  static func trimmed(_ row: String) -> String {
    String(row.reversed().drop { $0 == "-" }.reversed())
  }

  /// Returns the events in each second of a row; stops the program if the row is invalid.
  static func columns(of row: String) -> [[Character]] {
    do throws(MarblesError) {
      return try parse(row)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns the events in each second of a row.
  private static func parse(_ row: String) throws(MarblesError) -> [[Character]] {
    var columns: [[Character]] = []
    var group: (events: [Character], position: Int)?
    var hasEnded = false
    for (index, character) in row.enumerated() {
      let position = index + 1
      func rejected(_ reason: MarblesError.Reason) -> MarblesError {
        MarblesError(reason: reason, row: row, position: position)
      }
      switch character {
      case _ where character.isWhitespace:
        throw rejected(.space)
      case "(" where group == nil:
        group = ([], position)
      case "(":
        throw rejected(.groupInGroup)
      case ")":
        guard let events = group?.events else { throw rejected(.groupNotOpened) }
        if events.isEmpty { throw rejected(.emptyGroup) }
        columns.append(events)
        group = nil
      case "-" where group == nil:
        columns.append([])
      case "-":
        throw rejected(.dashInGroup)
      case _ where hasEnded:
        throw rejected(.eventAfterEnd)
      default:
        hasEnded = character == "|" || character == "#"
        if group == nil { columns.append([character]) } else { group?.events.append(character) }
      }
    }
    if let group {
      throw MarblesError(reason: .groupNotClosed, row: row, position: group.position)
    }
    return columns
  }
}

/// The error of an invalid row, and its position.
public struct MarblesError: Error, Equatable, CustomStringConvertible {
  /// The kind of error.
  public enum Reason: String, Sendable {
    /// White space, which has no meaning.
    case space = "a space means nothing here"
    /// A parenthesis that is not closed.
    case groupNotClosed = "the parenthesis is not closed"
    /// A closing parenthesis without an opening one.
    case groupNotOpened = "no parenthesis is open"
    /// A parenthesis within parentheses.
    case groupInGroup = "a parenthesis is open already"
    /// Empty parentheses.
    case emptyGroup = "there is nothing in the parentheses"
    /// A dash in parentheses, whose events share one second.
    case dashInGroup = "no time passes in parentheses"
    /// An event after the end.
    case eventAfterEnd = "nothing happens after the end"
  }

  /// The kind of error.
  public let reason: Reason

  /// The row.
  public let row: String

  /// The position of the character in the row, counted from 1.
  public let position: Int

  /// The row, a mark under the character, and a description of the error.
  public var description: String {
    let mark = String(repeating: " ", count: position - 1) + "^"
    return "Marbles, character \(position): \(reason.rawValue)\n\(row)\n\(mark)"
  }
}

/// The error that `#` represents.
public struct MarbleError: Error, Equatable, CustomStringConvertible {
  /// Makes an error; all are equal.
  public init() {}

  /// Its representation in a diagram.
  public var description: String { "#" }
}
