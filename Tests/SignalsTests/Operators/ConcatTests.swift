import Signals
import SignalsTesting
import Testing

@Suite struct ConcatTests {
  @Test(
    arguments: [
      [
        "ab|",
        "-c|",
        "ab-c|",
      ],
      [
        "a#",
        "-c|",
        "a#",
      ],
      [
        "a|",
        "#",
        "a#",
      ],
    ] as [Marbles]
  )
  func `sends the second signal after the first`(_ marbles: Marbles) {
    #expect(marbles.joint { first, second in first.concat(second) } == marbles.expected)
  }

  @Test func `subscribes each signal when the one before has completed and was disposed`() {
    let recorder = Recorder()
    let subjects = [Subject<Int, Never>(), Subject<Int, Never>()]
    let signals = subjects.enumerated().map { index, subject in
      subject.signal.initially { recorder.note("\(index) subscribed") }
        .do(disposed: { recorder.note("\(index) disposed") })
    }
    recorder.record(.concat(signals[0], signals[1]), as: "S")
    subjects[1].send(-1)
    subjects[0].send(1)
    subjects[0].complete()
    subjects[1].send(2)
    subjects[1].complete()
    #expect(
      recorder.lines == [
        "0.0 0 subscribed", "0.0 S 1", "0.0 0 disposed", "0.0 1 subscribed", "0.0 S 2",
        "0.0 S completed", "0.0 1 disposed",
      ]
    )
  }

  @Test func `lets signals wait for their turn`() {
    let scheduler = TestScheduler()
    let result = scheduler.signal("ab|").concatMap { scheduler.signal("\($0)-\($0)|") }
    #expect(scheduler.diagram(of: result) == "a-ab-b|")
  }

  @Test func `goes through 10,000 synchronous signals without growing the stack`() {
    let signal = Signal<Int, Never>(0..<10_000).concatMap { .just($0) }
    #expect(values(of: signal.reduce(0, +)) == [49_995_000])
  }
}
