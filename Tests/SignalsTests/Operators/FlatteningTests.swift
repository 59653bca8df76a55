import Signals
import SignalsTesting
import Testing

/// The promises of operators that make a signal of each value, and send what these signals send.
///
/// Longer rows stand one below the other: a column shows what happens at the same time.
@Suite struct FlatteningTests {
  @Test(arguments: FlatteningTests.promises)
  func `each operator sends what the marbles show`(_ row: MarbleCase) { row.verify() }

  @MarbleTable static var promises: [MarbleCase] {
    promise(
      "flatMap sends what all signals send, as it comes",
      // It completes when all have.
      [
        "a--b|",
        "-a-ab-b|",
      ],
      [
        "ab------|",
        "-abab---|",
      ],
      // The first failure is the end.
      ["a-#", "-a#"]
    ) { source, _, scheduler in source.flatMap { scheduler.signal("-\($0)-\($0)|") } }
    promise(
      "flatMap ends all with the first failure of one of them",
      [
        "a-b--|",
        "---#",
      ]
    ) { source, _, scheduler in
      let rows = ["a": "-----x|", "b": "-#"]
      return source.flatMap { scheduler.signal(rows[$0] ?? "") }
    }
    promise(
      "flatten(maxConcurrent: 1) subscribes only one at the same time",
      [
        "abc|",
        "a--ab--bc--c|",
      ]
    ) { source, _, scheduler in
      source.map { scheduler.signal("\($0)--\($0)|") }.flatten(maxConcurrent: 1)
    }
    promise(
      "flatten(maxConcurrent: 2) subscribes only two at the same time",
      [
        "abc|",
        "ab-a(bc)--c|",
      ]
    ) { source, _, scheduler in
      source.map { scheduler.signal("\($0)--\($0)|") }.flatten(maxConcurrent: 2)
    }
    promise(
      "flatten(maxConcurrent: 3) subscribes only three at the same time",
      [
        "abc|",
        "abcabc|",
      ]
    ) { source, _, scheduler in
      source.map { scheduler.signal("\($0)--\($0)|") }.flatten(maxConcurrent: 3)
    }
    promise(
      "concatMap lets signals wait for their turn",
      [
        "ab|",
        "a-ab-b|",
      ]
    ) { source, _, scheduler in source.concatMap { scheduler.signal("\($0)-\($0)|") } }
    promise(
      "exhaustMap ignores values until the signal that it made has ended",
      // What comes while one is running is ignored.
      [
        "ab--c----|",
        "-a-a-c-c-|",
      ],
      ["a|", "-a-(a|)"],
      ["a-#", "-a#"],
      ["--|", "--|"]
    ) { source, _, scheduler in source.exhaustMap { scheduler.signal("-\($0)-(\($0)|)") } }
    promise(
      "exhaustMap ends with the first failure of a signal that it made",
      [
        "a----|",
        "-x-#",
      ]
    ) { source, _, scheduler in source.exhaustMap { _ in scheduler.signal("-x-#") } }
    promise(
      "flatMapLatest sends what the newest signal sends",
      [
        "a--b|",
        "-a--b-b-b|",
      ],
      [
        "a|",
        "-a-a-a|",
      ],
      ["a-#", "-a#"],
      ["|", "|"]
    ) { source, _, scheduler in source.flatMapLatest { scheduler.signal("-\($0)-\($0)-\($0)|") } }
  }

  @Test func `concatMap goes through 10,000 synchronous signals without growing the stack`() {
    let signal = Signal<Int, Never>(0..<10_000).concatMap { .just($0) }
    #expect(values(of: signal.reduce(0, +)) == [49_995_000])
  }

  @Test func `exhaustMap does not make a signal of a value that it ignores`() {
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

  @Test func `exhaustMap disposes the signal that has ended before it makes the next one`() {
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
