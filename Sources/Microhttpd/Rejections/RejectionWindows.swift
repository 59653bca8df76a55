/// The windows in which the rejections of each kind are counted.
///
/// The first rejection of a kind opens a window of one minute; the following ones are counted until
/// its end. A window with a count is followed by another window, so there is one line per minute
/// for as long as rejections continue. A window without a count is the last one.
struct RejectionWindows {
  /// A count that is due to be logged.
  struct Summary: Equatable {
    /// The kind of rejection.
    var kind: RejectionKind
    /// The number of rejections since the previous line; never 0.
    var count: Int
  }

  /// The length of a window.
  static let length: Duration = .seconds(60)

  private struct Window {
    var end: Duration
    var count = 0
  }

  private var windows: [RejectionKind: Window] = [:]

  /// Counts a rejection.
  ///
  /// - Parameters:
  ///   - kind: The kind of rejection.
  ///   - now: The current time.
  /// - Returns: Whether the rejection opened a window and must be logged now.
  mutating func count(_ kind: RejectionKind, at now: Duration) -> Bool {
    // By index, because a rejection is counted often, and hashing its kind takes the longest.
    if let index = windows.index(forKey: kind) {
      windows.values[index].count += 1
      return false
    }
    windows[kind] = Window(end: now + Self.length)
    return true
  }

  /// Ends the windows that are over.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The counts to log, in the order of the kinds.
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
