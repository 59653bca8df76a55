package import Logging

/// The windows in which events are counted for the log, at most one of each subject at a time.
///
/// The first event of a subject is logged at once and opens a window of one minute; the following
/// ones are counted until its end. A window with a count is followed by another window, so there is
/// one line per minute for as long as the events continue. A window without a count is the last
/// one.
package struct LogWindows: Sendable {
  /// A subject, and the number of its events since the previous line; never 0.
  package typealias Summary = (subject: String, level: Logger.Level, count: Int)

  /// The time between two lines about a subject.
  package static let length = Duration.seconds(60)

  /// The open windows; comparing subjects is faster than hashing one.
  private var windows: [(events: Summary, end: Duration)] = []

  package init() {}

  /// Counts events, and returns whether they opened a window and must be logged now.
  package mutating func count(
    _ subject: String, _ level: Logger.Level, _ number: Int = 1, at now: Duration
  ) -> Bool {
    if let index = windows.firstIndex(where: { $0.events.subject == subject }) {
      windows[index].events.count += number
      return false
    }
    windows.append(((subject, level, 0), now + Self.length))
    return true
  }

  /// Ends the windows that are over, and returns the counts to log.
  package mutating func takeSummaries(at now: Duration) -> [Summary] {
    guard windows.contains(where: { $0.end <= now }) else { return [] }
    let over = windows.filter { $0.end <= now && $0.events.count > 0 }.map(\.events)
    windows.removeAll { $0.end <= now }
    windows += over.map { (($0.subject, $0.level, 0), now + Self.length) }
    return over
  }
}
