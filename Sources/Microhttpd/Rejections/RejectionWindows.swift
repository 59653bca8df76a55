/// When each kind of rejection was last logged, and how many have come since.
///
/// The first one of a kind opens a window of a minute; those that follow are counted until its end.
/// A window with a count is followed by another one, so there is one line a minute for as long as
/// it goes on, and a window without a count is the last.
struct RejectionWindows {
  /// A count that is due to be logged.
  struct Summary: Equatable {
    /// What was counted.
    var kind: RejectionKind
    /// How many there were since the line before; never 0.
    var count: Int
  }

  /// How long a window lasts.
  static let length: Duration = .seconds(60)

  private struct Window {
    var end: Duration
    var count = 0
  }

  private var windows: [RejectionKind: Window] = [:]

  /// Counts a rejection.
  ///
  /// - Parameters:
  ///   - kind: Which.
  ///   - now: The time.
  /// - Returns: Whether it opened a window, and is to be logged at once.
  mutating func count(_ kind: RejectionKind, at now: Duration) -> Bool {
    guard windows[kind] == nil else {
      windows[kind]?.count += 1
      return false
    }
    windows[kind] = Window(end: now + Self.length)
    return true
  }

  /// Ends the windows whose time has passed.
  ///
  /// - Parameter now: The time.
  /// - Returns: What is to be logged, in the order of the kinds.
  mutating func takeSummaries(at now: Duration) -> [Summary] {
    guard !windows.isEmpty else { return [] }
    var summaries: [Summary] = []
    for kind in RejectionKind.allCases {
      guard let window = windows[kind], window.end <= now else { continue }
      if window.count > 0 {
        summaries.append(Summary(kind: kind, count: window.count))
        windows[kind] = Window(end: now + Self.length)
      } else {
        windows[kind] = nil
      }
    }
    return summaries
  }
}
