import Testing

@testable import Delivery

@Suite struct RelayHealthTests {
  private var health = RelayHealth()

  @Test mutating func `a failure begins a pause, and its end a probe`() {
    #expect(health.state == .available)
    #expect(health.failed(jitter: 1) == .init(duration: .seconds(1), isFirst: true))
    #expect(health.state == .paused)
    health.pauseEnded()
    #expect(health.state == .probing)
    #expect(health.failed(jitter: 1) == .init(duration: .seconds(2), isFirst: false))
  }

  @Test mutating func `jitter takes at most half of a pause away`() {
    #expect(health.failed(jitter: 0)?.duration == .milliseconds(500))
  }

  @Test mutating func `failures during a pause do not prolong it`() {
    _ = health.failed(jitter: 1)
    #expect(health.failed(jitter: 1) == nil)
    health.pauseEnded()
    #expect(health.failed(jitter: 1)?.duration == .seconds(2))
  }

  @Test(arguments: [false, true])
  mutating func `a reply ends the pause`(isProbing: Bool) {
    _ = health.failed(jitter: 1)
    if isProbing { health.pauseEnded() }
    let replies = [health.replied(), health.replied()]
    #expect(replies == [true, false])
    #expect(health.state == .available)
    #expect(health.failed(jitter: 1) == .init(duration: .seconds(1), isFirst: true))
  }

  @Test mutating func `the end of a pause that is over changes nothing`() {
    health.pauseEnded()
    #expect(health.state == .available)
  }

  @Test mutating func `the third domain in a row begins a pause, which is always the shortest`() {
    for domain in ["a", "a", "b", "a", "b"] {
      #expect(health.failed(for: domain, jitter: 1).pause == nil)
    }
    #expect(
      health.failed(for: "c", jitter: 1).pause == .init(duration: .seconds(1), isFirst: true)
    )
    health.pauseEnded()
    let (isBack, pause) = health.failed(for: "a", jitter: 1)
    #expect(!isBack)
    #expect(pause == .init(duration: .seconds(1), isFirst: false))
  }

  @Test mutating func `a reply in between starts the count again`() {
    for _ in 0..<3 {
      _ = health.failed(for: "a", jitter: 1)
      _ = health.failed(for: "b", jitter: 1)
      #expect(health.state == .available)
      _ = health.replied()
    }
  }

  @Test mutating func `a recipient that fails shows that the relay is back`() {
    _ = health.failed(jitter: 1)
    health.pauseEnded()
    let (isBack, pause) = health.failed(for: "a", jitter: 1)
    #expect(isBack)
    #expect(pause == nil)
    #expect(health.state == .available)
  }
}
