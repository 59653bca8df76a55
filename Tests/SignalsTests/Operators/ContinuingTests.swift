import Signals
import SignalsTesting
import Testing

/// The promises of operators that send one signal after the other.
@Suite struct ContinuingTests {
  @Test(arguments: ContinuingTests.promises)
  func `each operator sends what the marbles show`(_ row: MarbleCase) { row.verify() }

  @MarbleTable static var promises: [MarbleCase] {
    promise("startWith sends its values before it subscribes", ["-a|", "(xy)a|"], ["#", "(xy#)"]) {
      source, _, _ in source.startWith("x", "y")
    }
    promise(
      "concat sends the second signal after the first", ["ab|", "-c|", "ab-c|"],
      ["a#", "-c|", "a#"], ["a|", "#", "a#"]
    ) { source, other, _ in source.concat(other) }
    promise(
      "then leaves out the values and goes on with the other signal", ["ab|", "-c|", "---c|"],
      ["a#", "c|", "-#"]
    ) { source, other, _ in source.then { other } }
    promise(
      "ifEmpty(send:) sends a value in the place of none", ["--|", "--(x|)"], ["a-|", "a-|"],
      ["--#", "--#"], ["a-#", "a-#"]
    ) { source, _, _ in source.ifEmpty(send: "x") }
    promise(
      "ifEmpty(continueWith:) continues with another signal in the place of none",
      ["--|", "xy|", "--xy|"], ["a-|", "xy|", "a-|"], ["--#", "xy|", "--#"], ["--|", "-#", "---#"]
    ) { source, other, _ in source.ifEmpty(continueWith: other) }
    promise("repeat subscribes again after completion", ["a-|", "a-a-a-|"], ["a#", "a#"]) {
      source, _, _ in source.repeat(3)
    }
  }

  @Test func `startWith does not subscribe when it is over before`() {
    let subscriptions = Counter()
    let signal = Signal<Int, Never>.never.initially { subscriptions.increment() }
    #expect(events(of: signal.startWith(1).take(1)) == [.next(1), .completed])
    #expect(subscriptions.value == 0)
  }

  @Test func `concat subscribes each signal when the one before has completed and was disposed`() {
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

  @Test func `then makes the other signal only after completion`() {
    let made = Counter()
    let failing = Signal<Int, Trouble>.fail(Trouble())
    let result = failing.then { () -> Signal<String, Trouble> in
      made.increment()
      return .empty
    }
    #expect(events(of: result) == [.failed(Trouble())])
    #expect(made.value == 0)
  }

  @Test func `ifEmpty lets a signal continue itself without growing the stack`() {
    onSmallStack {
      @Sendable func next(_ left: Int) -> Signal<Int, Never> {
        left == 0 ? .just(0) : Signal.empty.ifEmpty(continueWith: .deferred { next(left - 1) })
      }
      #expect(values(of: next(manyRounds)) == [0])
    }
  }

  @Test func `repeat repeats 10,000 times synchronously without growing the stack`() {
    #expect(values(of: Signal<Int, Never>.just(1).repeat().take(10_000).reduce(0, +)) == [10_000])
  }

  @Test func `repeat does not subscribe to repeat nothing`() {
    let subscriptions = Counter()
    let signal = Signal<Int, Never>.just(1).initially { subscriptions.increment() }
    #expect(events(of: signal.repeat(0)) == [.completed])
    #expect(subscriptions.value == 0)
  }
}
