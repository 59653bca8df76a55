import Signals
import SignalsTesting
import Testing

@Suite struct RetryDelayedTests {
  @Test func `waits a random time under a ceiling that doubles up to a limit`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let failing = Signal<Int, Trouble>.fail(Trouble()).initially { recorder.note("attempt") }
    let delay = RetryDelay.exponential(
      from: .seconds(1), limit: .seconds(5), using: SeededGenerator(seed: 7))
    failing.retry(6, delay: delay, on: scheduler).subscribe()
    scheduler.run()
    let times = recorder.lines.compactMap { Double($0.prefix { $0 != " " }) }
    let waits = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(waits.count == 6)
    for (wait, ceiling) in zip(waits, [1.0, 2, 4, 5, 5, 5]) { #expect(wait <= ceiling + 0.002) }
    #expect(Set(waits).count == 6)
  }

  @Test func `waits the same with the same seed, for each subscription`() {
    let times = (0..<2).map { _ in
      let scheduler = TestScheduler()
      let delay = RetryDelay.exponential(
        from: .seconds(1), limit: .seconds(60), using: SeededGenerator(seed: 42))
      let patient = Signal<Int, Trouble>.fail(Trouble()).retry(5, delay: delay, on: scheduler)
      patient.subscribe()
      scheduler.run()
      let first = scheduler.now
      patient.subscribe()
      scheduler.run()
      #expect(scheduler.now - first == first)
      return first
    }
    #expect(times[0] == times[1])
  }

  @Test(arguments: [
    (Duration.zero, Duration.seconds(1)),
    (.seconds(-1), .seconds(1)),
    (.seconds(Int64.max), .seconds(Int64.max)),
    (.nanoseconds(1), .seconds(Int64.max)),
    (.seconds(9), .seconds(3)),
  ])
  func `never waits longer than the limit, nor less than nothing`(first: Duration, limit: Duration)
  {
    let scheduler = TestScheduler()
    let failing = Signal<Int, Trouble>.fail(Trouble())
    let delay = RetryDelay.exponential(from: first, limit: limit)
    for _ in 0..<3 {
      let began = scheduler.now
      let patient = failing.retry(70, delay: delay, on: scheduler).subscribe()
      let longest = limit < .seconds(10) ? limit * 70 : .seconds(1_000_000)
      scheduler.advance(by: longest)
      #expect(patient.isDisposed || limit > .seconds(10))
      #expect(scheduler.now == began + longest)
      patient.dispose()
    }
  }

  @Test func `stops waiting when it is disposed`() {
    let scheduler = TestScheduler()
    let failing = Signal<Int, Trouble>.fail(Trouble())
    let patient = failing.retry(delay: .fixed(.seconds(1)), on: scheduler).subscribe()
    #expect(scheduler.pendingCount == 1)
    patient.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `fails when the handler's signal does`() {
    let patient = Signal<Int, Trouble>.fail(Trouble(number: 1)).retry(when: { errors in
      errors.flatMap { Signal<Int, Trouble>.fail(Trouble(number: $0.number + 1)) }
    })
    #expect(events(of: patient) == [.failed(Trouble(number: 2))])
  }

  @Test func `lets go of its attempts when the handler's signal ends`() {
    let census = Census()
    // Disposed, ended, and let go of without an end.
    for way in 0..<3 {
      let triggers = Subject<Void, Trouble>()
      let citizen = census.citizen()
      let failing = Signal<Int, Trouble>.fail(Trouble()).initially { citizen.stay() }
      let patient = failing.retry(when: { _ in triggers.signal }).subscribe()
      if way == 0 { patient.dispose() }
      if way == 1 { triggers.complete() }
    }
    #expect(census.living == 0)
  }

  @Test func `passes the last failure on before it disposes the attempt`() {
    let recorder = Recorder()
    let failing = Signal<Int, Trouble>.fail(Trouble()).do(disposed: { recorder.note("disposed") })
    let patient = failing.retry(0, delay: .fixed(.zero), on: ImmediateScheduler())
    patient.subscribe(failed: { _ in recorder.note("failed") })
    #expect(recorder.lines == ["0.0 failed", "0.0 disposed"])
  }

  @Test func `is silent when the cleanup of an attempt disposes the subscription`() {
    let recorder = Recorder()
    let subscription = SerialDisposable()
    let source = Subject<Int, Trouble>()
    let failing = source.signal.do(disposed: { subscription.dispose() })
    subscription.replace(
      with: failing.retry(when: { $0.do(next: { _ in recorder.note("asked") }) }).subscribe())
    source.fail(Trouble())
    #expect(recorder.lines == [])
  }

  @Test func `does not interrupt an attempt that is running`() {
    let triggers = Subject<Void, Never>()
    let attempts = Counter()
    let running = Signal<Int, Trouble>.never.initially { attempts.increment() }
    running.retry(when: { _ in triggers.signal }).subscribe()
    triggers.send()
    #expect(attempts.value == 1)
  }

  @Test func `tries 100,000 times without growing the stack`() {
    let attempts = Counter()
    let failing = Signal<Int, Trouble>.fail(Trouble()).initially { attempts.increment() }
    failing.retry(when: { $0.take(100_000) }).subscribe()
    #expect(attempts.value == 100_000)
  }
}
