import Signals
import SignalsTesting
import Testing

@Suite struct WindowTests {
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
          next: { recorder.record($0, as: "W") }, failed: { recorder.note("failed \($0)") },
          completed: { recorder.note("completed") })
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
