import MailingList
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
    #expect(health.failed(for: "c", jitter: 1).pause == .init(duration: .seconds(1), isFirst: true))
    health.pauseEnded()
    let (isBack, pause) = health.failed(for: "a", jitter: 1)
    #expect(!isBack)
    #expect(pause == .init(duration: .seconds(1), isFirst: false))
  }

  @Test mutating func `a relay relays to a domain that it accepted mail to within an hour`() {
    let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    #expect(!health.relays(to: "a", at: start))
    health.accepted(mailTo: "a", at: start)
    #expect(health.relays(to: "a", at: start.adding(.seconds(3599))))
    #expect(!health.relays(to: "a", at: start.adding(.seconds(3600))))
    #expect(!health.relays(to: "b", at: start))
  }

  @Test mutating func `a relay relays to any domain once it has accepted mail to three others`() {
    let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    for domain in ["a", "b", "b", "a"] { health.accepted(mailTo: domain, at: start) }
    #expect(!health.relays(to: "d", at: start))
    for number in 0..<10 { health.accepted(mailTo: "c\(number)", at: start) }
    // A pause is no reason to forget them.
    _ = health.failed(jitter: 1)
    _ = health.replied()
    #expect(health.relays(to: "d", at: start))
    #expect(health.relays(to: "a", at: start))
    #expect(!health.relays(to: "d", at: start.adding(.seconds(3600))))
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
