internal import Glibc
internal import SQLiteStorage
internal import Signals
internal import Synchronization

/// A line on a terminal that shows the progress of a command.
///
/// The line goes to standard error. If that is not a terminal, nothing is written.
// Not Sendable: the command's thread uses it.
final class ProgressBar {
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

  private init() {
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    isVisible = isatty(STDERR_FILENO) == 1 && terminal != "dumb"
  }

  static func during<Value>(_ work: (ProgressBar) throws -> Value) rethrows -> Value {
    let bar = ProgressBar()
    // A failing terminal does not end the command.
    defer { if bar.nextTime != nil { try? OutputStream.standardError.write("\r\u{1B}[K".utf8) } }
    return try work(bar)
  }

  /// Draws the bar, at most four times per second; `done` may exceed `total`.
  ///
  /// - Returns: Whether the work may proceed.
  func draw(_ done: Int, of total: Int, _ unit: Unit = .bytes) -> Bool {
    if isVisible, nextTime.map({ ContinuousClock.now >= $0 }) ?? true {
      nextTime = ContinuousClock.now + Self.interval
      try? OutputStream.standardError.write("\r\(Self.text(done, of: total, unit))\u{1B}[K".utf8)
    }
    return Interruption.mayProceed
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

/// The operator's request to end a long-running command.
enum Interruption {
  private static let isRequested = Atomic(false)
  private static let observing = Signal.merge(.unixSignal(SIGINT), .unixSignal(SIGTERM))
    .subscribe(next: { _ in
      isRequested.store(true, ordering: .relaxed)
      StatementInterrupt.ofCommand.request()
    })

  /// Whether a command may proceed: `false` once SIGINT or SIGTERM has arrived.
  ///
  /// Until the first call, when a command has files to remove, both signals end the process.
  static var mayProceed: Bool {
    _ = observing
    return !isRequested.load(ordering: .relaxed)
  }
}
