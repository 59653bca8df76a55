import Signals
import Testing

@Suite struct LoggedTests {
  @Test func `writes every event and passes it on`() {
    let lines = Lock<[String]>([])
    let signal = Signal<Int, Trouble>.fail(Trouble()).startWith(1)
    let logged = signal.logged("S") { line in lines.withLock { $0.append(line) } }
    #expect(events(of: logged) == [.next(1), .failed(Trouble())])
    #expect(lines.withLock { $0 } == ["S next: 1", "S failed: Trouble(number: 0)"])
    #expect(events(of: Signal<Int, Never>.empty.logged("E") { _ in }) == [.completed])
  }
}
