import Signals
import Synchronization
import Testing

/// Subscriptions that come and go while others send: nothing is delivered late, nothing leaks.
@Suite struct StressDisposalTests {
  private let threads = ThreadTeam(8)

  @Test(arguments: StressOrderTests.Kind.allCases)
  func `nothing leaks of subscriptions that come and go while others send`(
    kind: StressOrderTests.Kind
  ) {
    let census = Census()
    let subject = kind.subject()
    threads.run { thread in
      for number in 0..<200 {
        if thread < 3 { subject.send(number) }
        let citizen = census.citizen()
        let subscription = subject.signal.map { $0 + 1 }.subscribe(
          next: { _ in citizen.stay() }, completed: { citizen.stay() })
        if !number.isMultiple(of: 5) { subscription.dispose() }
      }
    }
    #expect(census.living == 8 * 40)
    subject.complete()
    #expect(census.living == 0)
  }

  @Test(arguments: StressOrderTests.Kind.allCases)
  func `nothing leaks when the subject goes, nor of who subscribes it afterwards`(
    kind: StressOrderTests.Kind
  ) {
    let census = Census()
    var kept: Signal<Int, Never>?
    do {
      let subject = kind.subject()
      kept = subject.signal
      threads.run { _ in
        for number in 0..<50 {
          let citizen = census.citizen()
          subject.signal.subscribe(next: { _ in citizen.stay() })
          subject.send(number)
        }
      }
      #expect(census.living == 400)
    }
    #expect(census.living == 0)
    do {
      let citizen = census.citizen()
      kept?.subscribe(next: { _ in citizen.stay() })
    }
    #expect(census.living == 0)
  }

  @Test func `nothing leaks of who shares a signal, when its source goes`() {
    let census = Census()
    do {
      let source = Subject<Int, Never>()
      let shared = source.signal.publish().autoconnect()
      threads.run { _ in
        for number in 0..<20 {
          let citizen = census.citizen()
          shared.subscribe(next: { _ in citizen.stay() })
          source.send(number)
        }
      }
      #expect(census.living == 160)
    }
    #expect(census.living == 0)
  }

  @Test func `nothing leaks of values that were sent, queued or not delivered`() {
    let census = Census()
    let subject = ReplaySubject<Census.Citizen, Never>(capacity: 2)
    let subscription = SerialDisposable()
    subscription.replace(
      with: subject.signal.subscribe(next: { citizen in
        citizen.stay()
        subscription.dispose()
      })
    )
    threads.run { _ in
      for _ in 0..<100 { subject.send(census.citizen()) }
    }
    #expect(census.living == 2)
  }

  @Test func `who takes one value gets one, whoever sends meanwhile`() {
    let subject = Subject<Int, Never>()
    let taken = Notes<Counter>()
    threads.run { thread in
      for _ in 0..<200 {
        if thread > 3 {
          let count = Counter()
          taken.add(count)
          subject.signal.take(1).subscribe(next: { _ in count.increment() })
        }
        subject.send(thread)
      }
    }
    #expect(taken.all.count == 4 * 200)
    #expect(taken.all.allSatisfy { $0.value == 1 })
  }

  @Test func `the end and disposal race, and clean-up runs exactly once`() {
    let threads = threads
    for round in 0..<300 {
      let ends = Counter()
      let cleanUps = Counter()
      let held = ReplaySubject<Observer<Int, Trouble>, Never>()
      let signal = Signal<Int, Trouble> { observer in
        held.send(observer)
        return AnyDisposable { cleanUps.increment() }
      }
      let subscription = signal.subscribe(
        failed: { _ in ends.increment() }, completed: { ends.increment() })
      let observers = values(of: held.signal)
      threads.run { thread in
        switch thread % 4 {
        case 0: subscription.dispose()
        case 1: observers.first?.complete()
        case 2: observers.first?.fail(Trouble())
        default: observers.first?.send(round)
        }
      }
      #expect(ends.value <= 1)
      #expect(cleanUps.value == 1)
      #expect(subscription.isDisposed)
    }
  }

  @Test func `what is added while others dispose is disposed, exactly once`() {
    for _ in 0..<300 {
      let cleanUps = Atomic(0)
      let composite = CompositeDisposable()
      let serial = SerialDisposable()
      threads.run { thread in
        if thread < 2 {
          composite.dispose()
          serial.dispose()
        } else {
          composite.add(AnyDisposable { cleanUps.wrappingAdd(1, ordering: .relaxed) })
          serial.replace(with: AnyDisposable { cleanUps.wrappingAdd(1, ordering: .relaxed) })
        }
      }
      #expect(cleanUps.load(ordering: .relaxed) == 12)
    }
  }

  @Test func `a connection connects once, and its subscribers come and go on all threads`() {
    let census = Census()
    for _ in 0..<100 {
      let subscriptions = Counter()
      let disposals = Counter()
      let source = Signal<Int, Never> { observer in
        subscriptions.increment()
        observer.send(1)
        return AnyDisposable { disposals.increment() }
      }
      let shared = source.multicast(ReplaySubject<Int, Never>()).autoconnect()
      threads.run { _ in
        let citizen = census.citizen()
        shared.subscribe(next: { _ in citizen.stay() }).dispose()
      }
      #expect(subscriptions.value <= 1)
      #expect(disposals.value == subscriptions.value)
    }
    #expect(census.living == 0)
  }
}
