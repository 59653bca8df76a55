import Signals
import SignalsTesting
import Testing

@Suite struct GroupByTests {
  @Test func `sends a group for each key, and its values, and ends before its groups`() {
    let recorder = Recorder()
    let groups = Signal<Int, Trouble>([1, 2, 3, 4]).groupBy {
      $0.isMultiple(of: 2) ? "even" : "odd"
    }
    recorder.record(
      groups.do(next: { recorder.record($0.signal, as: $0.key) }).map(\.key), as: "groups")
    #expect(
      recorder.lines == [
        "0.0 groups odd", "0.0 odd 1", "0.0 groups even", "0.0 even 2", "0.0 odd 3", "0.0 even 4",
        "0.0 groups completed", "0.0 odd completed", "0.0 even completed",
      ]
    )
  }

  @Test func `fails its groups with it`() {
    let groups = Signal<Int, Trouble>.fail(Trouble()).startWith(1).groupBy { $0 }
    let recorder = Recorder()
    groups.subscribe(next: { recorder.record($0.signal, as: "\($0.key)") })
    #expect(recorder.lines == ["0.0 1 1", "0.0 1 failed Trouble(number: 0)"])
  }

  @Test func `sends nothing to a group that is disposed of when it arrives`() {
    let recorder = Recorder()
    let subscription = SerialDisposable()
    let source = Subject<Int, Never>()
    subscription.replace(
      with: source.signal.groupBy { _ in "all" }.subscribe(next: { group in
        recorder.record(group.signal, as: group.key)
        subscription.dispose()
      })
    )
    source.send(1)
    source.send(2)
    #expect(recorder.lines.isEmpty)
  }

  @Test func `sends no more to its groups when it is disposed`() {
    let source = Subject<Int, Never>()
    let recorder = Recorder()
    let subscription = source.signal.groupBy { _ in "all" }
      .subscribe(next: { recorder.record($0.signal, as: $0.key) })
    source.send(1)
    subscription.dispose()
    source.send(2)
    #expect(recorder.lines == ["0.0 all 1"])
  }
}
