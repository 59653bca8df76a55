import Dispatch
import Signals
import SignalsTesting
import Testing

/// What users of the library may rely on, promise by promise.
@Suite struct ContractTests {
  @Test
  func `after the end, or after disposal, nothing is delivered, whatever the source does`() {
    let rude = Signal<Int, Trouble> { observer in
      observer.send(1)
      observer.complete()
      observer.send(2)
      observer.fail(Trouble())
      observer.complete()
      return nil
    }
    #expect(events(of: rude) == [.next(1), .completed])

    let held = Lock<Observer<Int, Trouble>?>(nil)
    let recorder = Recorder()
    let signal = Signal<Int, Trouble> { observer in
      held.withLock { $0 = observer }
      return nil
    }
    let subscription = recorder.record(signal, as: "S")
    held.withLock { $0 }?.send(1)
    subscription.dispose()
    held.withLock { $0 }?.send(2)
    held.withLock { $0 }?.complete()
    #expect(recorder.lines == ["0.0 S 1"])
  }

  @Test
  func `events of one subscription never overlap and have one order, whichever threads send`() {
    let subject = Subject<Int, Never>()
    let created = Signal<Int, Never> { observer in
      inParallel(4) { thread in
        for number in 0..<250 { observer.send(1_000 * thread + number) }
      }
      observer.complete()
      return nil
    }
    let overlap = Overlap()
    let seen = Lock<[[Int]]>([[], []])
    for observer in 0..<2 {
      subject.signal.subscribe(next: { value in
        seen.withLock { $0[observer].append(value) }
      })
    }
    created.subscribe(next: { overlap.pass($0) })
    inParallel(4) { thread in
      for number in 0..<250 { subject.send(1_000 * thread + number) }
    }
    let orders = seen.withLock { $0 }
    #expect(orders[0] == orders[1])
    #expect(Set(orders[0]).count == 1_000)
    #expect(overlap.count == 1_000)
    #expect(!overlap.wasSeen)
    for thread in 0..<4 {
      let ofThread = orders[0].filter { $0 / 1_000 == thread }
      #expect(ofThread == ofThread.sorted())
    }
  }

  @Test
  func `re-entrant sends are delivered after the current event, so all observers see one order`() {
    let subject = Subject<Int, Never>()
    let recorder = Recorder()
    subject.signal.subscribe(next: { value in
      recorder.note("A \(value)")
      if value == 1 { subject.send(2) }
    })
    let other = recorder.record(subject.signal, as: "B")
    subject.send(1)
    other.dispose()
    subject.complete()
    #expect(recorder.lines == ["0.0 A 1", "0.0 B 1", "0.0 A 2", "0.0 B 2"])
  }

  @Test func `no user code runs while a lock of the library is held`() {
    let subject = BehaviorSubject<Int, Never>(0)
    let property = Property(0)
    let isThrough = Counter()
    // Whoever is called back can wait for another thread that uses the same objects.
    subject.signal.skip(1).take(1).subscribe(next: { _ in
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        subject.send(2)
        property.value = subject.value
        subject.signal.subscribe().dispose()
        done.signal()
      }
      if done.wait(timeout: .now() + 10) == .success { isThrough.increment() }
    })
    subject.send(1)
    #expect(isThrough.value == 1)
    #expect(property.value == 2)
  }

  @Test
  func `a cold signal does nothing until subscribed, and everything again for each subscription`() {
    let runs = Counter()
    let signal = Signal<Int, Never> { observer in
      runs.increment()
      observer.send(runs.value)
      observer.complete()
      return nil
    }
    let mapped = signal.map { 10 * $0 }.filter { $0 > 0 }
    #expect(runs.value == 0)
    #expect(values(of: mapped) == [10])
    #expect(values(of: mapped) == [20])
  }

  @Test
  func `disposal is idempotent and thread-safe, runs clean-up exactly once, synthesizes no event`()
  {
    for _ in 0..<50 {
      let cleanUps = Counter()
      let recorder = Recorder()
      let signal = Signal<Int, Never> { _ in AnyDisposable { cleanUps.increment() } }
      let subscription = recorder.record(signal, as: "S")
      inParallel(4) { _ in subscription.dispose() }
      #expect(cleanUps.value == 1)
      #expect(recorder.lines.isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `after the terminal event has been delivered everything of that subscription is disposed`(
    isSynchronous: Bool
  ) {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let signal = Signal<Int, Never> { observer in
      let cleanUp = AnyDisposable { recorder.note("disposed") }
      if isSynchronous { observer.complete() } else { scheduler.schedule { observer.complete() } }
      return cleanUp
    }
    let subscription = recorder.record(signal, as: "S")
    scheduler.run()
    #expect(recorder.lines == ["0.0 S completed", "0.0 disposed"])
    #expect(subscription.isDisposed)
  }

  @Test func `a closure that is disposed before it returns is cleaned up when it does`() {
    let cleanUps = Counter()
    let signal = Signal<Int, Never> { observer in
      observer.send(1)
      return AnyDisposable { cleanUps.increment() }
    }
    #expect(events(of: signal.take(1)) == [.next(1), .completed])
    #expect(cleanUps.value == 1)
  }

  @Test
  func `a subscription lives until it ends or is disposed; nobody has to keep the signal`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    do {
      let signal = Signal.timer(after: .seconds(1), on: scheduler).map { _ in "tick" }
      recorder.record(signal, as: "S")
    }
    scheduler.run()
    #expect(recorder.lines == ["1.0 S tick", "1.0 S completed"])
  }

  @Test func `only a ScopedDisposable ends with its scope`() {
    let recorder = Recorder()
    let subject = Subject<Int, Never>()
    do {
      let scoped = ScopedDisposable(recorder.record(subject.signal, as: "scoped"))
      _ = recorder.record(subject.signal, as: "plain")
      subject.send(1)
      withExtendedLifetime(scoped) {}
    }
    subject.send(2)
    #expect(recorder.lines == ["0.0 scoped 1", "0.0 plain 1", "0.0 plain 2"])
  }

  @Test
  func `a replay and the live events after it have neither gap nor duplicate, whatever is sent`() {
    for _ in 0..<20 {
      let subject = ReplaySubject<Int, Never>()
      let seen = Lock<[Int]>([])
      inParallel(2) { thread in
        if thread == 0 {
          for number in 0..<500 { subject.send(number) }
          subject.complete()
        } else {
          subject.signal.subscribe(next: { value in seen.withLock { $0.append(value) } })
        }
      }
      #expect(seen.withLock { $0 } == Array(0..<500))
    }
  }

  @Test func `equal deadlines run in the order in which they were scheduled`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let one = Signal<Int, Never>.just(1).delay(.seconds(1), on: scheduler)
    let two = Signal<Int, Never>.just(2).delay(.seconds(1), on: scheduler)
    recorder.record(.merge(one, two), as: "S")
    scheduler.run()
    #expect(recorder.lines == ["1.0 S 1", "1.0 S 2", "1.0 S completed"])
  }

  @Test(arguments: ["merge", "flatMap", "combineLatest", "switchToLatest", "zip"])
  func `joins put several threads in one order`(name: String) {
    let subjects = (0..<4).map { _ in Subject<Int, Never>() }
    let signals = subjects.map(\.signal)
    let joined: Signal<Int, Never> =
      switch name {
      case "merge": .merge(signals)
      case "flatMap": Signal(0..<4).flatMap { signals[$0] }
      case "combineLatest":
        combineLatest(signals[0], signals[1], signals[2], signals[3]) { $0 + $1 + $2 + $3 }
      case "zip": zip(signals[0], signals[1], signals[2], signals[3]) { $0 + $1 + $2 + $3 }
      default: signals[0].flatMapLatest { Signal([$0, $0 + 1]) }.merge(with: signals[1])
      }
    let overlap = Overlap()
    let completions = Counter()
    joined.subscribe(next: { overlap.pass($0) }, completed: { completions.increment() })
    inParallel(4) { thread in
      for number in 0..<250 { subjects[thread].send(number) }
      subjects[thread].complete()
    }
    #expect(!overlap.wasSeen)
    #expect(overlap.count > 0)
    #expect(completions.value == 1)
  }
}
