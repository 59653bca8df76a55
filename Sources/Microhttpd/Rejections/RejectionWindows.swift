/// The windows in which rejections are counted, at most one of each kind at a time.
///
/// The first rejection of a kind opens a window of one minute; the following ones are counted until
/// its end. A window with a count is followed by another window, so there is one line per minute
/// for as long as rejections continue. A window without a count is the last one.
struct RejectionWindows {
  /// A count that is due to be logged.
  struct Summary: Equatable {
    var kind: RejectionKind
    /// The number of rejections since the previous line; never 0.
    var count: Int
  }

  static let length: Duration = .seconds(60)

  private struct Window {
    let kind: RejectionKind
    var end: Duration
    var count = 0
  }

  /// The open windows, at most one of each kind; comparing kinds is faster than hashing one.
  private var windows: [Window] = []

  /// Counts a rejection, and returns whether it opened a window and must be logged now.
  mutating func count(_ kind: RejectionKind, at now: Duration) -> Bool {
    if let index = windows.firstIndex(where: { $0.kind == kind }) {
      windows[index].count += 1
      return false
    }
    windows.append(Window(kind: kind, end: now + Self.length))
    return true
  }

  /// Ends the windows that are over.
  mutating func takeSummaries(at now: Duration) -> [Summary] {
    guard windows.contains(where: { $0.end <= now }) else { return [] }
    let over = windows.filter { $0.end <= now && $0.count > 0 }
    windows.removeAll { $0.end <= now }
    windows += over.map { Window(kind: $0.kind, end: now + Self.length) }
    return RejectionKind.allCases.compactMap { kind in
      over.first { $0.kind == kind }.map { Summary(kind: kind, count: $0.count) }
    }
  }
}
