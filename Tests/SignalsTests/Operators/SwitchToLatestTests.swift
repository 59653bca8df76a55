import Signals
import SignalsTesting
import Testing

@Suite struct SwitchToLatestTests {
  @Test func `switchToLatest disposes the old inner signal before it subscribes the new one`() {
    let seen = Lock<[String]>([])
    let note: @Sendable (String) -> Void = { line in seen.withLock { $0.append(line) } }
    let outer = Subject<Signal<Int, Never>, Never>()
    outer.signal.switchToLatest().subscribe()
    for name in ["A", "B"] {
      outer.send(
        Signal { _ in
          note("\(name) subscribed")
          return AnyDisposable { note("\(name) disposed") }
        }
      )
    }
    #expect(seen.withLock { $0 } == ["A subscribed", "A disposed", "B subscribed"])
  }

  @Test func `fails with the newest signal, and not with an older one`() {
    let outer = Subject<Signal<Int, Trouble>, Trouble>()
    let inners = [Subject<Int, Trouble>(), Subject<Int, Trouble>()]
    let recorder = Recorder()
    recorder.record(outer.signal.switchToLatest(), as: "S")
    outer.send(inners[0].signal)
    outer.send(inners[1].signal)
    inners[0].fail(Trouble())
    inners[1].send(1)
    inners[1].fail(Trouble(number: 2))
    #expect(recorder.lines == ["0.0 S 1", "0.0 S failed Trouble(number: 2)"])
  }

  @Test func `switches from within a value of the old signal`() {
    let outer = Subject<Signal<Int, Never>, Never>()
    let old = Subject<Int, Never>()
    let seen = Lock<[Int]>([])
    outer.signal.switchToLatest().subscribe(next: { value in
      seen.withLock { $0.append(value) }
      if value == 1 {
        old.send(2)
        outer.send(Signal([10, 11]))
      }
    })
    outer.send(old.signal)
    old.send(1)
    outer.complete()
    #expect(seen.withLock { $0 } == [1, 10, 11])
  }
}
