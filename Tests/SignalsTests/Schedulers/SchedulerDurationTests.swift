import Signals
import SignalsTesting
import Testing

/// Every duration there is, on every scheduler.
@Suite struct SchedulerDurationTests {
  private static let durations: [Duration] = {
    let edges: [Duration] = [
      .zero, .nanoseconds(1), .seconds(9_223_372_036), .seconds(9_223_372_037),
      .seconds(9_223_372_036) + .nanoseconds(854_775_807), .nanoseconds(Int64.max),
      .seconds(9_223_372_036) + .nanoseconds(999_999_999), .seconds(Int64.max),
      .seconds(Int64.max) + .milliseconds(999), .seconds(Int64.max) * 4,
      Duration(attoseconds: .max),
    ]
    let attosecond = Duration(attoseconds: 1)
    let around = edges.flatMap { edge in
      edge == Duration(attoseconds: .max) ? [edge] : [edge - attosecond, edge, edge + attosecond]
    }
    var generator = SystemRandomNumberGenerator()
    let random = (0..<200).map { _ in
      let number = Int128.random(in: .min ... .max, using: &generator)
      return Duration(attoseconds: number >> Int.random(in: 0..<127, using: &generator))
    }
    return around + around.map { .zero - $0 } + random + [Duration(attoseconds: .min)]
  }()

  @Test
  func `any duration may be scheduled on a queue, on the main actor, on a clock, and immediately`()
  {
    let schedulers: [any Scheduler] = [
      QueueScheduler(label: "test"), MainActorScheduler(), ImmediateScheduler(),
      ClockScheduler(ContinuousClock()),
    ]
    for scheduler in schedulers {
      for duration in Self.durations {
        scheduler.schedule(after: duration) {}.dispose()
        scheduler.schedule(after: duration, repeating: duration) {}.dispose()
        scheduler.schedule(after: .zero, repeating: duration) {}.dispose()
      }
    }
  }

  @Test func `any duration may be scheduled on a test scheduler, whose time never goes back`() {
    for duration in Self.durations {
      let scheduler = TestScheduler()
      let runs = Counter()
      scheduler.schedule(after: duration) { runs.increment() }
      let repetition = scheduler.schedule(after: duration, repeating: max(duration, .seconds(1))) {}
      scheduler.advance(by: .seconds(1))
      #expect(runs.value == (duration <= .seconds(1) ? 1 : 0))
      repetition.dispose()
      scheduler.advance(by: duration)
      scheduler.schedule(after: duration) {}
      let reached = scheduler.now
      #expect(reached >= .seconds(1))
      scheduler.advance(by: duration)
      scheduler.advance(to: duration)
      #expect(scheduler.now >= reached)
    }
  }

  @Test func `any duration may be given to an operator that takes one`() {
    for duration in Self.durations {
      let scheduler = QueueScheduler(label: "test")
      let source = Signal<Int, Trouble>.just(1).concat(.never)
      source.delay(duration, on: scheduler).subscribe().dispose()
      source.debounce(for: duration, on: scheduler).subscribe().dispose()
      source.throttle(for: duration, on: scheduler).subscribe().dispose()
      source.buffer(for: duration, on: scheduler).subscribe().dispose()
      source.timeout(after: duration, on: scheduler, with: Trouble()).subscribe().dispose()
      source.timeout(between: duration, on: scheduler, with: Trouble()).subscribe().dispose()
      Signal.interval(duration, on: scheduler).subscribe().dispose()
    }
  }
}
