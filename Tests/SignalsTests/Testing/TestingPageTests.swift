import Foundation
import Signals
import SignalsTesting
import Testing

/// The code of the pages on testing and on isolation.
@Suite struct TestingPageTests {
  @Test(
    arguments: [
      ["ab---c---|", "----b---c|"],
      // A failure drops what is pending.
      ["ab#", "--#"],
    ] as [Marbles]
  )
  func `a search waits for a pause of three seconds`(_ marbles: Marbles) {
    let scheduler = TestScheduler()
    let texts = scheduler.signal(marbles.source)
    let calm = texts.debounce(for: .seconds(3), on: scheduler)
    #expect(scheduler.diagram(of: calm) == marbles.expected)
  }

  @Test func `events of several signals are recorded in their order`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let taps = Subject<Int, Never>()
    recorder.record(taps.signal, as: "now")
    recorder.record(taps.signal.delay(.seconds(2), on: scheduler), as: "later")
    taps.send(1)
    scheduler.advance(by: .seconds(2))
    #expect(recorder.lines == ["0.0 now 1", "2.0 later 1"])
  }

  @Test func `nothing is left on the scheduler after disposal`() {
    let scheduler = TestScheduler()
    let ticks = Signal.interval(.seconds(1), on: scheduler).subscribe()
    ticks.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `the pages show the code of these tests, and of an example`() throws {
    try expectListings(of: "Testing.md", count: 3, in: #filePath)
    let example = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Examples/Isolation/Sources/Isolation/Isolation.swift")
    try expectListings(of: "Isolation.md", count: 3, in: example.path)
  }
}
