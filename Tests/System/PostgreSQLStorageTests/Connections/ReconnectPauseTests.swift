import Testing

@testable import PostgreSQLStorage

@Suite struct ReconnectPauseTests {
  @Test func `doubles from 50 ms to two seconds`() {
    var pause = ReconnectPause()
    let pauses = (0..<8).map { _ in pause.next(jitter: 1) }
    #expect(pauses == [50, 100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
  }

  @Test func `jitter takes any part of it away`() {
    var pause = ReconnectPause()
    #expect(pause.next(jitter: 0) == .zero)
    #expect(pause.next(jitter: 0.5) == .milliseconds(50))
    #expect(pause.next(jitter: -1) == .zero)
    #expect(pause.next(jitter: 2) == .milliseconds(400))
  }

  @Test func `starts again after the connection was ready`() {
    var pause = ReconnectPause()
    for _ in 0..<5 { _ = pause.next(jitter: 1) }
    pause.reset()
    #expect(pause.next(jitter: 1) == .milliseconds(50))
  }
}
