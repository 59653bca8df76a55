import Signals
import SignalsTesting
import Testing
import Locks

@Suite struct RetryTests {
  @Test(
    arguments: [
      [
        "a-#",
        "a-a-a-#",
      ],
      [
        "a|",
        "a|",
      ],
    ] as [Marbles]
  )
  func `subscribes again after a failure`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.retry(2) } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "a#",
        "a#",
      ]
    ] as [Marbles]
  )
  func `passes the failure on when no attempt is left`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.retry(0) } == marbles.expected)
  }

  @Test(
    arguments: [
      [
        "a-|",
        "a-a-a-|",
      ],
      [
        "a#",
        "a#",
      ],
    ] as [Marbles]
  )
  func `subscribes again after completion`(_ marbles: Marbles) {
    #expect(marbles.drawing { source, _ in source.repeat(3) } == marbles.expected)
  }

  @Test func `fails 10,000 times synchronously without growing the stack`() {
    let attempts = Counter()
    let failing = Signal<Int, Trouble>.fail(Trouble()).initially { attempts.increment() }
    #expect(events(of: failing.retry(9_999)) == [.failed(Trouble())])
    #expect(attempts.value == 10_000)
  }

  @Test func `repeats 10,000 times synchronously without growing the stack`() {
    #expect(values(of: Signal<Int, Never>.just(1).repeat().take(10_000).reduce(0, +)) == [10_000])
  }

  @Test func `does not subscribe to repeat nothing`() {
    let subscriptions = Counter()
    let signal = Signal<Int, Never>.just(1).initially { subscriptions.increment() }
    #expect(events(of: signal.repeat(0)) == [.completed])
    #expect(subscriptions.value == 0)
  }

  @Test func `disposes each attempt before the next`() {
    let recorder = Recorder()
    let subject = Lock<Subject<Int, Trouble>?>(nil)
    let signal = Signal<Int, Trouble>.deferred {
      recorder.note("subscribed")
      let fresh = Subject<Int, Trouble>()
      subject.withLock { $0 = fresh }
      return fresh.signal.do(disposed: { recorder.note("disposed") })
    }
    let subscription = signal.retry().subscribe()
    subject.withLock { $0 }?.fail(Trouble())
    subscription.dispose()
    #expect(
      recorder.lines == ["0.0 subscribed", "0.0 disposed", "0.0 subscribed", "0.0 disposed"]
    )
  }
}
