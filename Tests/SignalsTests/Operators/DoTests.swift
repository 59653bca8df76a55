import Signals
import SignalsTesting
import Testing

@Suite struct DoTests {
  @Test func `sees every event before it is passed on, and the disposal after the end`() {
    let recorder = Recorder()
    let signal = Signal<Int, Trouble>([1])
      .concat(.fail(Trouble()))
      .do(
        next: { recorder.note("next \($0)") }, failed: { recorder.note("failed \($0)") },
        completed: { recorder.note("completed") }, disposed: { recorder.note("disposed") })
    recorder.record(signal, as: "S")
    #expect(
      recorder.lines == [
        "0.0 next 1", "0.0 S 1", "0.0 failed Trouble(number: 0)",
        "0.0 S failed Trouble(number: 0)", "0.0 disposed",
      ]
    )
  }

  @Test func `sees the disposal of a subscription that has not ended`() {
    let recorder = Recorder()
    let signal = Signal<Int, Never>.never.do(disposed: { recorder.note("disposed") })
    signal.subscribe().dispose()
    #expect(recorder.lines == ["0.0 disposed"])
  }

  @Test func `initially comes before each subscription`() {
    let recorder = Recorder()
    let signal = Signal<Int, Never>.just(1).initially { recorder.note("initially") }
    recorder.record(signal, as: "S1")
    recorder.record(signal, as: "S2")
    #expect(
      recorder.lines == [
        "0.0 initially", "0.0 S1 1", "0.0 S1 completed",
        "0.0 initially", "0.0 S2 1", "0.0 S2 completed",
      ]
    )
  }

  @Test func `finally comes after the end, and not on disposal`() {
    let recorder = Recorder()
    recorder.record(Signal<Int, Never>.just(1).finally { recorder.note("finally") }, as: "S")
    Signal<Int, Never>.never.finally { recorder.note("never") }.subscribe().dispose()
    #expect(recorder.lines == ["0.0 S 1", "0.0 S completed", "0.0 finally"])
  }
}
