import Delivery
import Testing

@Suite struct RelayPauseTests {
  @Test func `doubles from a second to a minute`() {
    var pause = RelayPause()
    let pauses = (0..<9).map { _ in pause.next(jitter: 1) }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
  }

  @Test func `jitter takes up to half of it away`() {
    var pause = RelayPause()
    #expect(pause.next(jitter: 0) == .milliseconds(500))
    #expect(pause.next(jitter: 0.5) == .milliseconds(1500))
    #expect(pause.next(jitter: -1) == .seconds(2))
    #expect(pause.next(jitter: 2) == .seconds(8))
  }

  @Test func `starts again after the relay was available`() {
    var pause = RelayPause()
    for _ in 0..<5 { _ = pause.next(jitter: 1) }
    pause.reset()
    #expect(pause.next(jitter: 1) == .seconds(1))
  }
}
