internal import Glibc

/// A line on a terminal that shows the progress of a command.
///
/// The line goes to standard error. If that is not a terminal, nothing is written.
// Not Sendable: the command's thread uses it.
final class ProgressBar {
  /// The counted unit.
  enum Unit: Hashable, Sendable {
    /// Bytes, which are shown as megabytes.
    case bytes
    /// Rows, with a verb such as "copied".
    case rows(String)
  }

  /// The number of characters between the brackets.
  private static let width = 30
  private static let interval = Duration.milliseconds(250)

  private let isVisible: Bool
  private var nextTime: ContinuousClock.Instant?

  /// Creates a bar that has not been drawn.
  ///
  /// The corresponding C functions are `isatty` and `getenv`.
  init() {
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    isVisible = isatty(STDERR_FILENO) == 1 && terminal != "dumb"
  }

  deinit {
    erase()
  }

  /// Draws the bar, at most four times per second; `done` may exceed `total`.
  func draw(_ done: Int, of total: Int, _ unit: Unit = .bytes) {
    guard isVisible else { return }
    let now = ContinuousClock.now
    if let nextTime, now < nextTime { return }
    nextTime = now + Self.interval
    // A failing terminal does not end the command.
    try? OutputStream.standardError.write(
      Array("\r\(Self.text(done, of: total, unit))\u{1B}[K".utf8))
  }

  /// Removes the bar from the terminal, if it has been drawn.
  func erase() {
    guard nextTime != nil else { return }
    nextTime = nil
    try? OutputStream.standardError.write(Array("\r\u{1B}[K".utf8))
  }

  /// Formats the line, such as `[#########---------------------]  30 %  12.3 of 41.0 MB`.
  static func text(_ done: Int, of total: Int, _ unit: Unit = .bytes) -> String {
    let done = max(min(done, total), 0)
    let percent = total > 0 ? done * 100 / total : 100
    let marks = width * percent / 100
    let bar = String(repeating: "#", count: marks) + String(repeating: "-", count: width - marks)
    let number = String("  \(percent)".suffix(3))
    let counts =
      switch unit {
      case .bytes: "\(megabytes(done)) of \(megabytes(total)) MB"
      case .rows(let verb): "\(done) of \(total) rows \(verb)"
      }
    return "[\(bar)] \(number) %  \(counts)"
  }

  private static func megabytes(_ bytes: Int) -> String {
    let tenths = bytes / 100_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
