import Signals
import Testing

@Suite struct GrowingPauseTests {
  private var pause = GrowingPause(from: .seconds(1), limit: .seconds(60))

  @Test mutating func `pauses double up to their limit, and start again after a success`() {
    for _ in 0..<2 {
      let pauses = (0..<9).map { _ in pause.next(jitter: 1) }
      #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
      pause.reset()
    }
  }

  @Test mutating func `jitter takes any part of a pause away`() {
    #expect(pause.next(jitter: 0) == .zero)
    #expect(pause.next(jitter: 0.5) == .seconds(1))
    #expect(pause.next(jitter: -1) == .zero)
    #expect(pause.next(jitter: 2) == .seconds(8))
  }

  @Test(
    arguments: [
      (.seconds(3), 2, .seconds(60), .seconds(12)), (.seconds(9), 0, .seconds(3), .seconds(3)),
      (.zero, .max, .seconds(1), .zero), (.seconds(-1), 1, .seconds(1), .zero),
      (.seconds(Int64.max), 1, .seconds(Int64.max), .seconds(Int64.max)),
    ] as [(Duration, Int, Duration, Duration)]
  )
  func `a duration that doubles stays between zero and its limit`(
    _ first: Duration, _ times: Int, _ limit: Duration, _ result: Duration
  ) {
    #expect(first.doubled(times, limit: limit) == result)
  }
}
