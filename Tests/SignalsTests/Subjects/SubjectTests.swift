import Signals
import SignalsTesting
import Testing

@Suite struct SubjectTests {
  @Test func `subjects have an end; later sends are ignored, a late subscriber gets the end`() {
    let recorder = Recorder()
    let plain = Subject<Int, Trouble>()
    let replay = ReplaySubject<Int, Trouble>()
    let behavior = BehaviorSubject<Int, Trouble>(0)
    let subjects: [any SubjectProtocol<Int, Trouble>] = [plain, replay, behavior]
    for subject in subjects {
      subject.send(1)
      subject.complete()
      subject.send(2)
      subject.fail(Trouble())
    }
    recorder.record(plain.signal, as: "plain")
    recorder.record(replay.signal, as: "replay")
    recorder.record(behavior.signal, as: "behavior")
    #expect(
      recorder.lines == [
        "0.0 plain completed", "0.0 replay 1", "0.0 replay completed", "0.0 behavior completed",
      ]
    )
    #expect(behavior.value == 1)
  }

  @Test func `a late subscriber gets the error`() {
    let subject = Subject<Int, Trouble>()
    subject.fail(Trouble(number: 4))
    #expect(events(of: subject.signal) == [.failed(Trouble(number: 4))])
  }

  @Test(arguments: [(0, []), (1, [3]), (2, [2, 3]), (3, [1, 2, 3]), (9, [1, 2, 3])])
  func `a replay subject remembers as many values as it may`(capacity: Int, expected: [Int]) {
    let subject = ReplaySubject<Int, Never>(capacity: capacity)
    for value in 1...3 { subject.send(value) }
    #expect(values(of: subject.signal) == expected)
  }

  @Test func `a subscriber that disposes itself during a replay gets no more of it`() {
    let subject = ReplaySubject<Int, Never>()
    for value in 1...3 { subject.send(value) }
    #expect(events(of: subject.signal.take(2)) == [.next(1), .next(2), .completed])
  }

  @Test func `a subject sends to a thousand observers, and forgets those who go`() {
    let subject = Subject<Int, Never>()
    let count = Counter()
    let subscriptions = (0..<1_000).map { _ in
      subject.signal.subscribe(next: { _ in count.increment() })
    }
    subject.send(1)
    #expect(count.value == 1_000)
    for (index, subscription) in subscriptions.enumerated() where !index.isMultiple(of: 10) {
      subscription.dispose()
    }
    subject.send(2)
    #expect(count.value == 1_100)
  }

  @Test func `an observer that is added during a send misses that value`() {
    let subject = Subject<Int, Never>()
    let recorder = Recorder()
    subject.signal.take(1).subscribe(next: { _ in recorder.record(subject.signal, as: "late") })
    subject.send(1)
    subject.send(2)
    #expect(recorder.lines == ["0.0 late 2"])
  }

  @Test func `an observer that is disposed during a send is skipped`() {
    let subject = Subject<Int, Never>()
    let second = SerialDisposable()
    let seen = Counter()
    subject.signal.subscribe(next: { _ in second.dispose() })
    second.replace(with: subject.signal.subscribe(next: { _ in seen.increment() }))
    subject.send(1)
    #expect(seen.value == 0)
  }

  @Test func `a behavior subject's value is the one sent last, also from within a callback`() {
    let subject = BehaviorSubject<Int, Never>(0)
    let seen = Lock<[Int]>([])
    subject.signal.subscribe(next: { value in
      seen.withLock { $0.append(value) }
      if value == 1 {
        subject.send(2)
        #expect(subject.value == 2)
      }
    })
    subject.send(1)
    subject.complete()
    #expect(seen.withLock { $0 } == [0, 1, 2])
  }

  @Test func `a subject is an observer`() {
    let subject = ReplaySubject<Int, Trouble>()
    Signal<Int, Trouble>.fail(Trouble()).startWith(1).subscribe(subject.observer)
    #expect(events(of: subject.signal) == [.next(1), .failed(Trouble())])
  }

  @Test func `the signal of a subject that has gone replays, and keeps nobody`() {
    let signal: Signal<Int, Never>
    do {
      let subject = ReplaySubject<Int, Never>()
      subject.send(1)
      signal = subject.signal
    }
    let recorder = Recorder()
    weak var seen: Counter?
    do {
      let counter = Counter()
      seen = counter
      recorder.record(signal.do(next: { _ in counter.increment() }), as: "S")
    }
    #expect(recorder.lines == ["0.0 S 1"])
    #expect(seen == nil)
  }

  @Test func `a subject that goes lets go of its subscribers without an event`() {
    let recorder = Recorder()
    weak var seen: Counter?
    do {
      let subject = Subject<Int, Never>()
      let counter = Counter()
      seen = counter
      recorder.record(subject.signal.do(next: { _ in counter.increment() }), as: "S")
      subject.send(1)
    }
    #expect(recorder.lines == ["0.0 S 1"])
    #expect(seen == nil)
  }
}
