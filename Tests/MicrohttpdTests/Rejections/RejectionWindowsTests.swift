import Testing

@testable import Microhttpd

/// The times at which rejections are logged, in virtual time.
@Suite struct RejectionWindowsTests {
  private func summary(_ kind: RejectionKind, _ count: Int) -> RejectionWindows.Summary {
    RejectionWindows.Summary(kind: kind, count: count)
  }

  @Test func `the first rejection of a kind is logged immediately, and later ones are counted`() {
    let windows = VirtualWindows()
    #expect(windows.count(.forbidden, at: .seconds(5)))
    for _ in 0..<4711 { #expect(!windows.count(.forbidden, at: .seconds(6))) }
    #expect(windows.takeSummaries(at: .seconds(64)) == [])
    #expect(windows.takeSummaries(at: .seconds(65)) == [summary(.forbidden, 4711)])
  }

  @Test func `continuous rejections are logged once a minute`() {
    let windows = VirtualWindows()
    var lineCount = 0
    for second in 0..<600 {
      for _ in 0..<100 where windows.count(.tooManyRequests, at: .seconds(second)) {
        lineCount += 1
      }
      let summaries = windows.takeSummaries(at: .seconds(second))
      for summary in summaries { #expect(summary.kind == .tooManyRequests) }
      lineCount += summaries.count
    }
    // One line at the beginning, and one at the end of each full minute.
    #expect(lineCount == 1 + 9)
  }

  @Test func `a rejection after a quiet minute is logged immediately`() {
    let windows = VirtualWindows()
    #expect(windows.count(.stream, at: .zero))
    #expect(windows.takeSummaries(at: .seconds(60)) == [])
    #expect(windows.count(.stream, at: .seconds(61)))
  }

  @Test func `log lines of one kind are at least a minute apart`() {
    for gap in [1, 7, 31, 59, 60, 61, 90] {
      let windows = VirtualWindows()
      var times: [Int] = []
      for second in 0..<3600 {
        if second.isMultiple(of: gap), windows.count(.connection, at: .seconds(second)) {
          times.append(second)
        }
        if !windows.takeSummaries(at: .seconds(second)).isEmpty { times.append(second) }
      }
      for (earlier, later) in zip(times, times.dropFirst()) {
        #expect(later - earlier >= 60, "a rejection every \(gap) s")
      }
    }
  }

  @Test func `each kind of rejection has its own window`() {
    let windows = VirtualWindows()
    for kind in RejectionKind.allCases {
      #expect(windows.count(kind, at: .zero))
      #expect(!windows.count(kind, at: .zero))
    }
    let expected = RejectionKind.allCases.map { summary($0, 1) }
    #expect(windows.takeSummaries(at: .seconds(60)) == expected)
  }

  @Test func `a late summary does not make the next one early`() {
    let windows = VirtualWindows()
    #expect(windows.count(.accept, at: .zero))
    #expect(!windows.count(.accept, at: .seconds(1)))
    #expect(windows.takeSummaries(at: .seconds(100)) == [summary(.accept, 1)])
    #expect(!windows.count(.accept, at: .seconds(101)))
    #expect(windows.takeSummaries(at: .seconds(159)) == [])
    #expect(windows.takeSummaries(at: .seconds(160)) == [summary(.accept, 1)])
  }
}

/// A reference to rejection windows, so that a test can mutate them inside `#expect`.
private final class VirtualWindows {
  private var windows = RejectionWindows()

  func count(_ kind: RejectionKind, at now: Duration) -> Bool {
    windows.count(kind, at: now)
  }

  func takeSummaries(at now: Duration) -> [RejectionWindows.Summary] {
    windows.takeSummaries(at: now)
  }
}
