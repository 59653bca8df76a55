import Signals
import SignalsTesting
import Testing

/// What a signal is made of and subscribed with, in its short forms.
@Suite struct SignalClosureTests {
  @Test func `a closure that returns nothing makes a signal`() {
    let signal = Signal<Int, Never> { observer in
      observer.send(1)
      observer.complete()
    }
    #expect(events(of: signal) == [.next(1), .completed])
  }

  @Test func `a closure whose only expression is a subscription still returns it`() {
    let disposals = Counter()
    let source = Signal<Int, Never>.never.do(disposed: { disposals.increment() })
    let signal = Signal<Int, Never> { observer in source.subscribe(observer) }
    signal.subscribe().dispose()
    #expect(disposals.value == 1)
  }

  @Test func `what a closure sends after disposal is dropped`() {
    let held = Lock<Observer<Int, Never>?>(nil)
    let recorder = Recorder()
    let signal = Signal<Int, Never> { observer in held.withLock { $0 = observer } }
    let subscription = recorder.record(signal, as: "S")
    held.withLock { $0 }?.send(1)
    subscription.dispose()
    held.withLock { $0 }?.send(2)
    #expect(recorder.lines == ["0.0 S 1"])
  }

  @Test func `a subject is subscribed to a signal`() {
    let subject = Subject<Int, Trouble>()
    let recorder = Recorder()
    recorder.record(subject.signal, as: "S")
    let source = Subject<Int, Trouble>()
    let subscription = source.signal.subscribe(subject)
    source.send(1)
    source.fail(Trouble())
    #expect(recorder.lines == ["0.0 S 1", "0.0 S failed Trouble(number: 0)"])
    #expect(subscription.isDisposed)
  }

  @Test func `what has nothing to say is sent without a value`() {
    let subject = Subject<Void, Never>()
    let count = Counter()
    subject.signal.subscribe(next: { count.increment() })
    subject.send()
    Signal<Void, Never> { $0.send() }.subscribe(next: { count.increment() })
    #expect(count.value == 2)
  }

  @Test func `subscriptions are stored where they are disposed together`() {
    let disposals = Counter()
    let signal = Signal<Int, Never>.never.do(disposed: { disposals.increment() })
    let subscriptions = CompositeDisposable()
    signal.subscribe().store(in: subscriptions)
    signal.subscribe().store(in: subscriptions)
    #expect(disposals.value == 0)
    subscriptions.dispose()
    #expect(disposals.value == 2)
    signal.subscribe().store(in: subscriptions)
    #expect(disposals.value == 3)
  }
}
