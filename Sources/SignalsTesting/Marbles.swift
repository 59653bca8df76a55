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
///
/// What it does not understand, such as a parenthesis that is not closed, is rejected with its
/// position.
public struct Marbles: ExpressibleByArrayLiteral, Equatable, Sendable, CustomStringConvertible {
  /// All rows as they were written.
  public let rows: [String]

  /// Makes a drawing of its rows.
  ///
  /// - Parameter rows: The sources, then what is expected; stops the program when one of them is no
  ///   row of marbles.
  public init(arrayLiteral rows: String...) {
    do throws(MarblesError) {
      try self.init(validating: rows)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Makes a drawing of rows that come from elsewhere.
  ///
  /// - Parameter rows: The sources, then what is expected.
  /// - Throws: `MarblesError`, when one of them is no row of marbles.
  public init(validating rows: [String]) throws(MarblesError) {
    for row in rows { _ = try Self.parse(row) }
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

  /// What happens in each second of a row; stops the program when it is none.
  static func columns(of row: String) -> [[Character]] {
    do throws(MarblesError) {
      return try parse(row)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// What happens in each second of a row.
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

/// Why a row is no row of marbles, and where.
public struct MarblesError: Error, Equatable, CustomStringConvertible {
  /// What is wrong.
  public enum Reason: String, Sendable {
    /// There is white space, which means nothing.
    case space = "a space means nothing here"
    /// A parenthesis is not closed.
    case groupNotClosed = "the parenthesis is not closed"
    /// A parenthesis is closed that was not opened.
    case groupNotOpened = "no parenthesis is open"
    /// A parenthesis is opened within parentheses.
    case groupInGroup = "a parenthesis is open already"
    /// There is nothing in parentheses.
    case emptyGroup = "there is nothing in the parentheses"
    /// There is a second in parentheses, in which all happens at once.
    case dashInGroup = "no time passes in parentheses"
    /// Something happens after the end.
    case eventAfterEnd = "nothing happens after the end"
  }

  /// What is wrong.
  public let reason: Reason

  /// The row.
  public let row: String

  /// Which character of the row, counted from 1.
  public let position: Int

  /// The row, a mark under the character, and what is wrong with it.
  public var description: String {
    let mark = String(repeating: " ", count: position - 1) + "^"
    return "Marbles, character \(position): \(reason.rawValue)\n\(row)\n\(mark)"
  }
}

/// The error that `#` stands for.
public struct MarbleError: Error, Equatable, CustomStringConvertible {
  /// Makes one; all are alike.
  public init() {}

  /// How a drawing shows it.
  public var description: String { "#" }
}
