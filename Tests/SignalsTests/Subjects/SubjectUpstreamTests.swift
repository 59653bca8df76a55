import Signals
import SignalsTesting
import Testing

/// What a subject is subscribed to.
@Suite struct SubjectUpstreamTests {
  @Test(arguments: StressOrderTests.Kind.allCases)
  func `a subject that ends disposes what it was subscribed to`(kind: StressOrderTests.Kind) {
    let recorder = Recorder()
    let subject = kind.subject()
    let sources = (0..<2).map { number in
      Signal<Int, Never> { _ in AnyDisposable { recorder.note("\(number) disposed") } }
    }
    let subscriptions = sources.map { $0.subscribe(subject.observer) }
    subject.signal.subscribe(completed: { recorder.note("completed") })
    subject.complete()
    #expect(recorder.lines == ["0.0 completed", "0.0 0 disposed", "0.0 1 disposed"])
    #expect(subscriptions.allSatisfy { $0.isDisposed })
  }

  @Test func `a subject that has ended subscribes nothing`() {
    let subject = Subject<Int, Never>()
    subject.complete()
    let subscriptions = Counter()
    let subscription = Signal<Int, Never>.never.initially { subscriptions.increment() }
      .subscribe(subject.observer)
    #expect(subscription.isDisposed)
    #expect(subscriptions.value == 0)
  }

  @Test func `a subject that ends within a callback stops an endless synchronous source`() {
    let subject = Subject<Int, Never>()
    let seen = Counter()
    subject.signal.subscribe(next: { value in
      seen.increment()
      if value == 2 { subject.complete() }
    })
    #expect(Signal<Int, Never>(Naturals()).subscribe(subject.observer).isDisposed)
    #expect(seen.value == 3)
  }

  @Test func `a subject that ends disconnects the signal that it multicasts`() {
    let disposals = Counter()
    let subject = Subject<Int, Never>()
    let connection = Signal<Int, Never>.never.do(disposed: { disposals.increment() })
      .multicast(subject)
    let connected = connection.connect()
    subject.complete()
    #expect(disposals.value == 1)
    #expect(connected.isDisposed)
  }

  @Test func `a subscription that is disposed or ends by itself leaves the subject alone`() {
    let subject = ReplaySubject<Int, Never>()
    Signal<Int, Never>.never.subscribe(subject.observer).dispose()
    Signal<Int, Never>([1, 2]).concat(.never).subscribe(subject.observer).dispose()
    subject.send(3)
    #expect(events(of: subject.signal) == [.next(1), .next(2), .next(3)])
  }

  @Test func `nothing of a source that lets go of its observer stays with the subject`() {
    let subject = Subject<Int, Never>()
    weak var seen: Counter?
    do {
      let counter = Counter()
      seen = counter
      let source = Subject<Int, Never>()
      source.signal.do(next: { _ in counter.increment() }).subscribe(subject.observer)
      source.send(1)
    }
    #expect(seen == nil)
    subject.send(1)
  }

  @Test func `a subject that ends disposes in their order the subscriptions that are left`() {
    let recorder = Recorder()
    let subject = Subject<Int, Never>()
    let subscriptions = (0..<100).map { number in
      Signal<Int, Never> { _ in AnyDisposable { recorder.note("\(number)") } }.subscribe(subject)
    }
    for (number, subscription) in subscriptions.enumerated() where number % 10 != 9 {
      subscription.dispose()
    }
    subject.complete()
    #expect(recorder.lines.suffix(10) == (0..<10).map { "0.0 \(10 * $0 + 9)" })
  }
}
