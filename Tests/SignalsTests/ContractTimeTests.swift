import Signals
import SignalsTesting
import Testing

/// The promises about time and failures: 10 and 12.
@Suite struct ContractTimeTests {
  typealias Operator = @Sendable (Signal<Int, Trouble>, TestScheduler) -> Signal<Int, Trouble>

  @Test(arguments: ["delay", "debounce", "throttle", "buffer"])
  func `errors overtake: they are forwarded at once, and what waits is dropped`(name: String) {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let source = Subject<Int, Trouble>()
    let signal =
      switch name {
      case "delay": source.signal.delay(.seconds(5), on: scheduler)
      case "debounce": source.signal.debounce(for: .seconds(5), on: scheduler)
      case "throttle": source.signal.throttle(for: .seconds(5), on: scheduler).skip(1)
      default: source.signal.buffer(for: .seconds(5), on: scheduler).map(\.count)
      }
    recorder.record(signal, as: "S")
    source.send(1)
    source.send(2)
    scheduler.advance(by: .seconds(1))
    source.fail(Trouble(number: 3))
    scheduler.advance(by: .seconds(60))
    #expect(recorder.lines == ["1.0 S failed Trouble(number: 3)"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test(arguments: OperatorCase.timed)
  func `time is the scheduler's: no operator reads a clock of its own`(_ operation: OperatorCase) {
    let ago = ContinuousClock.now
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let source = Subject<Number, Trouble>()
    recorder.record(operation.apply(source.signal, scheduler), as: "S")
    // A day passes as fast as it can be written down; only a time limit would end it.
    for value in 1...24 {
      source.send(Number(value))
      scheduler.advance(by: value == 1 ? .seconds(2) : .zero)
      if !operation.name.hasPrefix("timeout") { scheduler.advance(by: .seconds(3_600)) }
    }
    source.complete()
    scheduler.advance(by: .seconds(60))
    #expect(recorder.lines.count == 25)
    #expect(recorder.lines.last?.hasSuffix("S completed") == true)
    #expect(ContinuousClock.now - ago < .seconds(60))
  }
}
