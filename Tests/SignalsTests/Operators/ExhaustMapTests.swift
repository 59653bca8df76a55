import Signals
import SignalsTesting
import Testing

@Suite struct ExhaustMapTests {
  @Test(
    arguments: [
      // What comes while one is running is ignored.
      [
        "ab--c----|",
        "-a-a-c-c-|",
      ],
      [
        "a|",
        "-a-(a|)",
      ],
      [
        "a-#",
        "-a#",
      ],
      [
        "--|",
        "--|",
      ],
    ] as [Marbles]
  )
  func `ignores values until the signal that it made has ended`(_ marbles: Marbles) {
    let scheduler = TestScheduler()
    let result = scheduler.signal(marbles.source).exhaustMap { value in
      scheduler.signal("-\(value)-(\(value)|)")
    }
    #expect(scheduler.diagram(of: result) == marbles.expected)
  }

  @Test func `does not make a signal of a value that it ignores`() {
    let calls = Counter()
    let source = Subject<Int, Never>()
    let running = Subject<Int, Never>()
    source.signal
      .exhaustMap { _ in
        calls.increment()
        return running.signal
      }
      .subscribe()
    source.send(1)
    source.send(2)
    #expect(calls.value == 1)
    running.complete()
    source.send(3)
    #expect(calls.value == 2)
  }

  @Test func `ends with the first failure of a signal that it made`() {
    let scheduler = TestScheduler()
    let result = scheduler.signal("a----|").exhaustMap { _ in scheduler.signal("-x-#") }
    #expect(scheduler.diagram(of: result) == "-x-#")
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `disposes the signal that has ended before it makes the next one`() {
    let recorder = Recorder()
    let source = Subject<Int, Never>()
    let running = Subject<Int, Never>()
    source.signal
      .exhaustMap { number in
        recorder.note("made \(number)")
        return running.signal.do(disposed: { recorder.note("disposed \(number)") })
      }
      .subscribe()
    source.send(1)
    running.complete()
    source.send(2)
    #expect(recorder.lines.prefix(3) == ["0.0 made 1", "0.0 disposed 1", "0.0 made 2"])
  }
}
