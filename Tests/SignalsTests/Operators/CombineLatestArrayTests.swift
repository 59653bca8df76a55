import Signals
import SignalsTesting
import Testing

@Suite struct CombineLatestArrayTests {
  @Test func `keeps the order of the signals`() {
    let first = Subject<Int, Never>()
    let second = Subject<Int, Never>()
    let recorder = Recorder()
    recorder.record(combineLatest([first.signal, second.signal]), as: "S")
    second.send(2)
    first.send(1)
    first.send(3)
    #expect(recorder.lines == ["0.0 S [1, 2]", "0.0 S [3, 2]"])
  }

  @Test func `completes at once when there is no signal`() {
    #expect(events(of: combineLatest([Signal<Int, Never>]())) == [.completed])
  }

  @Test func `takes values that are optional as they are`() {
    let signals = [Signal<Int?, Never>.just(nil), .just(1)]
    #expect(values(of: combineLatest(signals)) == [[nil, 1]])
  }
}
