import Signals
import SignalsTesting
import Testing

@Suite struct DeliverOnTests {
  @Test(
    arguments: [
      [
        "ab-c|",
        "ab-c|",
      ],
      [
        "a#",
        "a#",
      ],
      [
        "(ab|)",
        "(ab|)",
      ],
    ] as [Marbles]
  )
  func `delivers the same events`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, scheduler in source.deliver(on: scheduler) } == marbles.expected
    )
  }

  @Test func `delivers nothing before the turn of the scheduler`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    recorder.record(Signal<Int, Never>.just(1).deliver(on: scheduler), as: "S")
    #expect(recorder.lines.isEmpty)
    scheduler.advance()
    #expect(recorder.lines == ["0.0 S 1", "0.0 S completed"])
  }

  @Test func `delivers nothing that waits after disposal`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let subscription = recorder.record(
      Signal<Int, Never>.just(1).deliver(on: scheduler),
      as: "S"
    )
    subscription.dispose()
    scheduler.run()
    #expect(recorder.lines.isEmpty)
  }
}
