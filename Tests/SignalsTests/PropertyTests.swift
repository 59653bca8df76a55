import Signals
import SignalsTesting
import Testing

@Suite struct PropertyTests {
  @Test func `sends its value at once, then what is written, equal or not`() {
    let property = Property("a")
    let recorder = Recorder()
    recorder.record(property.signal, as: "S")
    property.value = "b"
    property.value = "b"
    #expect(recorder.lines == ["0.0 S a", "0.0 S b", "0.0 S b"])
    #expect(property.value == "b")
  }

  @Test func `completes when it goes`() {
    let recorder = Recorder()
    do {
      let property = Property(1)
      recorder.record(property.signal, as: "S")
    }
    #expect(recorder.lines == ["0.0 S 1", "0.0 S completed"])
  }

  @Test func `changes pair the old value with the new one, for each subscriber`() {
    let property = Property(0)
    let recorder = Recorder()
    recorder.record(property.changes.map { "\($0.old)→\($0.new)" }, as: "S1")
    property.value = 1
    recorder.record(property.changes.map { "\($0.old)→\($0.new)" }, as: "S2")
    property.value = 2
    #expect(recorder.lines == ["0.0 S1 0→1", "0.0 S1 1→2", "0.0 S2 1→2"])
  }

  @Test func `a binding writes what a signal sends, and its end leaves the last value`() {
    let property = Property(0)
    let source = Subject<Int, Never>()
    property.bind(to: source.signal)
    source.send(3)
    #expect(property.value == 3)
    source.complete()
    #expect(property.value == 3)
  }

  @Test func `a binding that is disposed writes no more`() {
    let property = Property(0)
    let source = Subject<Int, Never>()
    property.bind(to: source.signal).dispose()
    source.send(3)
    #expect(property.value == 0)
  }

  @Test func `a binding is disposed once its signal has ended`() {
    let property = Property(0)
    let source = Subject<Int, Never>()
    let binding = property.bind(to: source.signal)
    #expect(!binding.isDisposed)
    source.complete()
    #expect(binding.isDisposed)
    #expect(property.bind(to: .just(2)).isDisposed)
    #expect(property.value == 2)
  }

  @Test func `a property that is released disposes its bindings at once`() {
    let disposals = Counter()
    let source = Signal<Int, Never>.never.do(disposed: { disposals.increment() })
    var bindings: [any Disposable] = []
    do {
      let property = Property(0)
      bindings = [property.bind(to: source), property.bind(to: source)]
      bindings[0].dispose()
      #expect(disposals.value == 1)
    }
    #expect(disposals.value == 2)
    #expect(bindings[1].isDisposed)
  }

  @Test
  func `within a callback of the same property subscribe returns before the current value comes`() {
    let property = Property("a")
    let recorder = Recorder()
    let inner = SerialDisposable()
    property.signal.skip(1).take(1).subscribe(next: { _ in
      recorder.note("subscribes")
      inner.replace(with: recorder.record(property.signal, as: "inner"))
      recorder.note("subscribed")
      property.value = "c"
    })
    property.value = "b"
    #expect(recorder.lines == ["0.0 subscribes", "0.0 subscribed", "0.0 inner b", "0.0 inner c"])
    inner.dispose()
  }

  @Test func `a binding does not keep its property`() {
    let source = Subject<Int, Never>()
    weak var gone: Property<Int>?
    do {
      let property = Property(0)
      gone = property
      property.bind(to: source.signal)
    }
    #expect(gone == nil)
    source.send(1)
  }

  @Test func `what many threads write last is what stays and what was sent last`() {
    let property = Property(-1)
    let last = Lock(-1)
    let subscription = property.signal.subscribe(next: { value in last.withLock { $0 = value } })
    inParallel(4) { thread in
      for number in 0..<500 { property.value = 1_000 * thread + number }
    }
    #expect(last.withLock { $0 } == property.value)
    subscription.dispose()
  }
}
