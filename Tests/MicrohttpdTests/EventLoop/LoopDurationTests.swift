import HTTPSignals
import Signals
import Microhttpd
import Testing
import TestSupport

/// Durations of every order of magnitude on an event loop; SignalsTests has the other schedulers.
@Suite struct LoopDurationTests {
  private static let durations: [Duration] = {
    let powers = (0..<127).map { Duration(attoseconds: 1 << $0) }
    var generator = SystemRandomNumberGenerator()
    let random = (0..<200).map { _ in
      let number = Int128.random(in: .min ... .max, using: &generator)
      return Duration(attoseconds: number >> Int.random(in: 0..<127, using: &generator))
    }
    let edges = [Duration(attoseconds: .max), .zero, Duration(attoseconds: .min)]
    return powers + powers.map { .zero - $0 } + random + edges
  }()

  @Test func `any duration may be scheduled on an event loop`() async throws {
    try await TestServer.run(handler: { $0.respond(.text("here")) }) { server in
      let scheduler = server.daemon.scheduler
      let done = Lock<[Duration]>([])
      let timers = Self.durations.flatMap { duration in
        scheduler.schedule(after: .zero, repeating: duration) {}.dispose()
        return [
          scheduler.schedule(after: duration) { done.withLock { $0.append(duration) } },
          scheduler.schedule(after: duration, repeating: max(duration, .seconds(1))) {},
        ]
      }
      let isPast = Expectation()
      scheduler.schedule(after: .zero) { isPast.fulfill() }
      try isPast.wait()
      let due = done.withLock { $0 }
      #expect(due.filter { $0 <= .zero } == Self.durations.filter { $0 <= .zero })
      #expect(due.allSatisfy { $0 < .seconds(3_600) })
      for timer in timers { timer.dispose() }
      #expect(try server.get("/").text == "here")
    }
  }
}
