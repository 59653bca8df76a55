import Locks
import Signals
import SignalsTesting
import Testing

@Suite struct WindowTests {
  @Test(
    arguments: [
      [
        "a-b-cd-e|",
        "a-(b1)-c(d2)-e(3|)",
      ]
    ] as [Marbles]
  )
  func `sends the values of two at a time as they come`(_ marbles: Marbles) {
    // Each window ends with its number.
    let scheduler = TestScheduler()
    let numbers = Counter()
    let result = scheduler.signal(marbles.source).window(count: 2).flatMap { window in
      numbers.increment()
      return window.concat(.just("\(numbers.value)"))
    }
    #expect(scheduler.diagram(of: result) == marbles.expected)
  }

  @Test func `sends the values of three seconds as they come, and no empty window`() {
    let scheduler = TestScheduler()
    let windows = scheduler.signal("ab-------c--|").window(for: .seconds(3), on: scheduler)
    #expect(scheduler.diagram(of: windows.map { _ in "w" }) == "w--------w--|")
    let counts = scheduler.signal("ab-------c---|").window(for: .seconds(3), on: scheduler)
      .flatMap { $0.collect().map(\.count) }
    #expect(scheduler.diagram(of: counts) == "---2--------1|")
  }

  @Test func `ends the open window with the source, then the result`() {
    for fails in [true, false] {
      let scheduler = TestScheduler()
      let source = Subject<Int, Trouble>()
      let recorder = Recorder()
      let windows = [
        source.signal.window(count: 9), source.signal.window(for: .seconds(9), on: scheduler),
      ]
      for window in windows {
        window.subscribe(
          next: { recorder.record($0, as: "W") },
          failed: { recorder.note("failed \($0)") },
          completed: { recorder.note("completed") }
        )
      }
      source.send(1)
      if fails { source.fail(Trouble()) } else { source.complete() }
      let end = fails ? "failed Trouble(number: 0)" : "completed"
      #expect(
        recorder.lines == [
          "0.0 W 1", "0.0 W 1", "0.0 W \(end)", "0.0 \(end)", "0.0 W \(end)",
          "0.0 \(end)",
        ]
      )
    }
  }

  @Test func `sends nothing to a window after the result was disposed, not even its first value`() {
    let scheduler = TestScheduler()
    let source = Subject<Int, Never>()
    let recorder = Recorder()
    for windows in [
      source.signal.window(count: 9), source.signal.window(for: .seconds(9), on: scheduler),
    ] {
      let subscription = SerialDisposable()
      subscription.replace(
        with: windows.subscribe(next: { window in
          recorder.record(window, as: "W")
          subscription.dispose()
        })
      )
    }
    source.send(1)
    source.send(2)
    #expect(recorder.lines.isEmpty)
  }

  @Test func `rejects a count of less than 1`() async {
    await #expect(processExitsWith: .failure) {
      _ = Signal<Int, Never>.empty.window(count: 0)
    }
  }
}
