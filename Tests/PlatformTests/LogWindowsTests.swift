import Logging
import Testing

@testable import Platform

/// The times at which events that repeat are logged, in virtual time.
@Suite struct LogWindowsTests {
  /// A reference to windows, so that a test can mutate them inside `#expect`.
  private final class VirtualWindows {
    private var windows = LogWindows()

    func count(_ subject: String, at now: Duration) -> Bool {
      windows.count(subject, .info, at: now)
    }

    func takeSummaries(at now: Duration) -> [String] {
      windows.takeSummaries(at: now).map { "\($0.subject) \($0.count)" }
    }
  }

  @Test func `the first event of a subject is logged immediately, and later ones are counted`() {
    let windows = VirtualWindows()
    #expect(windows.count("request", at: .seconds(5)))
    for _ in 0..<4711 { #expect(!windows.count("request", at: .seconds(6))) }
    #expect(windows.takeSummaries(at: .seconds(64)) == [])
    #expect(windows.takeSummaries(at: .seconds(65)) == ["request 4711"])
  }

  @Test func `continuous events are logged once a minute`() {
    let windows = VirtualWindows()
    var lineCount = 0
    for second in 0..<600 {
      for _ in 0..<100 where windows.count("request", at: .seconds(second)) {
        lineCount += 1
      }
      let summaries = windows.takeSummaries(at: .seconds(second))
      for summary in summaries { #expect(summary.hasPrefix("request")) }
      lineCount += summaries.count
    }
    // One line at the beginning, and one at the end of each full minute.
    #expect(lineCount == 1 + 9)
  }

  @Test func `an event after a quiet minute is logged immediately`() {
    let windows = VirtualWindows()
    #expect(windows.count("stream", at: .zero))
    #expect(windows.takeSummaries(at: .seconds(60)) == [])
    #expect(windows.count("stream", at: .seconds(61)))
  }

  @Test func `log lines of one subject are at least a minute apart`() {
    for gap in [1, 7, 31, 59, 60, 61, 90] {
      let windows = VirtualWindows()
      var times: [Int] = []
      for second in 0..<3600 {
        if second.isMultiple(of: gap), windows.count("stream", at: .seconds(second)) {
          times.append(second)
        }
        if !windows.takeSummaries(at: .seconds(second)).isEmpty { times.append(second) }
      }
      for (earlier, later) in zip(times, times.dropFirst()) {
        #expect(later - earlier >= 60, "an event every \(gap) s")
      }
    }
  }

  @Test func `each subject has its own window`() {
    let windows = VirtualWindows()
    for kind in ["mail", "request", "stream"] {
      #expect(windows.count(kind, at: .zero))
      #expect(!windows.count(kind, at: .zero))
    }
    let expected = ["mail", "request", "stream"].map { "\($0) 1" }
    #expect(windows.takeSummaries(at: .seconds(60)) == expected)
  }

  @Test func `a late summary does not make the next one early`() {
    let windows = VirtualWindows()
    #expect(windows.count("mail", at: .zero))
    #expect(!windows.count("mail", at: .seconds(1)))
    #expect(windows.takeSummaries(at: .seconds(100)) == ["mail 1"])
    #expect(!windows.count("mail", at: .seconds(101)))
    #expect(windows.takeSummaries(at: .seconds(159)) == [])
    #expect(windows.takeSummaries(at: .seconds(160)) == ["mail 1"])
  }
}
