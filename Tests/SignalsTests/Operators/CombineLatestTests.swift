import Signals
import Testing

@Suite struct CombineLatestTests {
  @Test func `puts the latest values together`() {
    let first = Subject<Int, Never>()
    let second = Subject<String, Never>()
    let seen = Lock<[String]>([])
    combineLatest(first.signal, second.signal).subscribe(next: { number, text in
      seen.withLock { $0.append("\(number)\(text)") }
    })
    first.send(1)
    first.send(2)
    second.send("a")
    second.send("b")
    first.send(3)
    #expect(seen.withLock { $0 } == ["2a", "2b", "3b"])
  }

  @Test func `completes when all have completed, also when one never sent a value`() {
    #expect(
      events(of: combineLatest(Signal<Int, Never>.just(1), .empty) { $0 + $1 }) == [.completed])
  }

  @Test func `takes the same signal twice as two`() {
    let signal = Signal<Int, Never>([1, 2])
    #expect(values(of: combineLatest(signal, signal) { 10 * $0 + $1 }) == [21, 22])
  }

  @Test func `combines any number of signals of any types`() {
    let number = Signal<Int, Trouble>.just(1)
    let text = Signal<String, Trouble>.just("a")
    let truth = Signal<Bool, Trouble>([false, true])
    let last = Signal<Double, Trouble>.just(0.5)
    let three = combineLatest(number, text, truth) { "\($0)\($1)\($2)" }
    #expect(values(of: three) == ["1afalse", "1atrue"])
    let four = combineLatest(number, text, truth, last)
    #expect(values(of: four).map { "\($0.0)\($0.1)\($0.2)\($0.3)" } == ["1atrue0.5"])
    #expect(events(of: four).last == nil || events(of: three).last == .completed)
  }

  @Test func `lets a failure of any of them end the combination`() {
    let failing = Signal<Int, Trouble>.fail(Trouble(number: 3))
    let result = combineLatest(.just(1), .just(2), failing, .never) {
      $0 + $1 + $2 + (0 as Int) + $3
    }
    #expect(events(of: result) == [.failed(Trouble(number: 3))])
  }
}
