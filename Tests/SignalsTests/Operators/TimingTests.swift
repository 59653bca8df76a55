import Signals
import SignalsTesting
import Testing

/// The promises of operators that take the time from a scheduler.
///
/// Longer rows stand one below the other: a column shows what happens at the same time.
@Suite struct TimingTests {
  @Test(arguments: TimingTests.promises)
  func `each operator sends what the marbles show`(_ row: MarbleCase) { row.verify() }

  @MarbleTable static var promises: [MarbleCase] {
    promise("timer sends once and completes", ["--(t|)"]) { _, _, scheduler in
      Signal.timer(after: .seconds(2), on: scheduler).mapReplace("t")
    }
    promise(
      "delay sends values and completion later",
      [
        "ab-c|",
        "--ab-c|",
      ],
      ["|", "--|"]
    ) { source, _, scheduler in source.delay(.seconds(2), on: scheduler) }
    promise(
      "delay lets errors overtake, and drops what waits",
      ["ab#", "--#"],
      [
        "a--b#",
        "--a-#",
      ]
    ) { source, _, scheduler in source.delay(.seconds(2), on: scheduler) }
    promise(
      "deliver(on:) delivers the same events", ["ab-c|", "ab-c|"], ["a#", "a#"], ["(ab|)", "(ab|)"]
    ) { source, _, scheduler in source.deliver(on: scheduler) }
    promise(
      "debounce sends a value once its source has been quiet for three seconds",
      [
        "ab---c---|",
        "----b---c|",
      ],
      [
        "a-b-c----d",
        "-------c----d",
      ],
      // Completion sends what waits.
      ["a-b|", "---(b|)"],
      // Errors overtake, and drop what waits.
      ["a#", "-#"]
    ) { source, _, scheduler in source.debounce(for: .seconds(3), on: scheduler) }
    promise(
      "throttle sends at most one value in three seconds, and the last of each stretch",
      [
        "abcde-------f",
        "a--d--e-----f",
      ],
      [
        "a---b---|",
        "a---b---|",
      ],
      // Completion sends what waits.
      ["ab|", "a-(b|)"],
      // Errors overtake, and drop what waits.
      ["ab#", "a-#"]
    ) { source, _, scheduler in source.throttle(for: .seconds(3), on: scheduler) }
    promise(
      "throttle(latest: false) leaves out all but the first value of an interval",
      [
        "abc----d|",
        "a------d|",
      ],
      [
        "ab--cd---|",
        "a---c----|",
      ],
      ["ab#", "a-#"]
    ) { source, _, scheduler in source.throttle(for: .seconds(3), latest: false, on: scheduler) }
    promise(
      "buffer(for:) sends what came in three seconds together",
      [
        "ab---c-------",
        "---2----1----",
      ],
      // Completion sends what was collected.
      ["ab|", "--(2|)"],
      ["---|", "---|"],
      // Errors overtake, and drop what was collected.
      ["ab#", "--#"]
    ) { source, _, scheduler in source.buffer(for: .seconds(3), on: scheduler).map(\.count) }
    promise(
      "buffer(for:count:) sends what came in three seconds, or two values, together",
      // The count, then the time.
      [
        "ab-c---d----",
        "-2----1---1",
      ],
      // The end of the first array's time does not end the second one.
      [
        "ab-c-d-----",
        "-2---2",
      ],
      ["abc|", "-2-(1|)"],
      ["abc#", "-2-#"]
    ) { source, _, scheduler in
      source.buffer(for: .seconds(3), count: 2, on: scheduler).map(\.count)
    }
    promise(
      "window(for:) sends no empty window",
      [
        "ab-------c--|",
        "w--------w--|",
      ]
    ) { source, _, scheduler in
      source.window(for: .seconds(3), on: scheduler).map { _ in "w" }
    }
    promise(
      "window(for:) sends the values of three seconds as they come",
      [
        "ab-------c---|",
        "---2--------1|",
      ]
    ) { source, _, scheduler in
      source.window(for: .seconds(3), on: scheduler).flatMap { $0.collect().map(\.count) }
    }
    promise(
      "timeout(after:) fails when it has not ended in time, whatever was sent",
      [
        "a-a-a-|",
        "a-a#",
      ],
      ["a|", "a|"],
      ["a#", "a#"],
      ["", "---#"]
    ) { source, _, scheduler in
      source.timeout(after: .seconds(3), on: scheduler, with: MarbleError())
    }
    promise(
      "timeout(between:) fails four seconds after the last value",
      [
        "-a--a----|",
        "-a--a---#",
      ],
      [
        "-a--a--|",
        "-a--a--|",
      ],
      [
        "-----a|",
        "----#",
      ],
      ["-a-#", "-a-#"]
    ) { source, _, scheduler in
      source.timeout(between: .seconds(4), on: scheduler, with: MarbleError())
    }
  }

  @Test func `deliver(on:) delivers nothing before the turn of the scheduler`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    recorder.record(Signal<Int, Never>.just(1).deliver(on: scheduler), as: "S")
    #expect(recorder.lines.isEmpty)
    scheduler.advance()
    #expect(recorder.lines == ["0.0 S 1", "0.0 S completed"])
  }

  @Test func `deliver(on:) delivers nothing that waits after disposal`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let subscription = recorder.record(Signal<Int, Never>.just(1).deliver(on: scheduler), as: "S")
    subscription.dispose()
    scheduler.run()
    #expect(recorder.lines.isEmpty)
  }

  @Test func `delay keeps nothing scheduled after disposal`() {
    let scheduler = TestScheduler()
    let signal = Signal<Int, Never>([1, 2]).delay(.seconds(1), on: scheduler)
    let subscription = signal.subscribe()
    #expect(scheduler.pendingCount == 3)
    subscription.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `debounce leaves nothing scheduled after the end`() {
    let scheduler = TestScheduler()
    Signal<Int, Never>.just(1).debounce(for: .seconds(3), on: scheduler).subscribe()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `buffer(for:) keeps the order of the values`() {
    let scheduler = TestScheduler()
    let arrays = Signal<Int, Never>([1, 2, 3]).buffer(for: .seconds(3), on: scheduler)
    #expect(values(of: arrays) == [[1, 2, 3]])
  }

  @Test func `buffer(for:count:) leaves no timer when the count is reached`() {
    let scheduler = TestScheduler()
    let source = Subject<Int, Never>()
    source.signal.buffer(for: .seconds(3), count: 2, on: scheduler).subscribe()
    source.send(1)
    #expect(scheduler.pendingCount == 1)
    source.send(2)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `buffer(for:count:) rejects a count of less than 1`() async {
    await #expect(processExitsWith: .failure) {
      _ = Signal<Int, Never>.empty.buffer(for: .seconds(1), count: 0, on: TestScheduler())
    }
  }

  @Test
  func
    `timeout(after:) disposes the source that takes too long, and the timer of one that does not`()
  {
    let scheduler = TestScheduler()
    let disposals = Counter()
    let slow = Signal<Int, Trouble>.never.do(disposed: { disposals.increment() })
    slow.timeout(after: .seconds(1), on: scheduler, with: Trouble()).subscribe()
    scheduler.run()
    #expect(disposals.value == 1)
    let quick = Signal<Int, Trouble>.just(1)
    quick.timeout(after: .seconds(1), on: scheduler, with: Trouble()).subscribe()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `timeout(between:) disposes a source that sends too late, and leaves no timer`() {
    let scheduler = TestScheduler()
    let disposals = Counter()
    let slow = Signal<Int, Never>.never.do(disposed: { disposals.increment() })
    slow.timeout(between: .seconds(4), on: scheduler, with: MarbleError()).subscribe()
    scheduler.advance(by: .seconds(4))
    #expect(disposals.value == 1)
    #expect(scheduler.pendingCount == 0)
  }
}
