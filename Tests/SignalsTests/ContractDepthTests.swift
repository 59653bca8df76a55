import Foundation
import Signals
import Testing

/// Signals that go on and on, in constant stack.
@Suite struct ContractDepthTests {
  @Test func `concat of a million signals does not grow the stack`() {
    onSmallStack {
      let count = manyRounds
      let signals = Signal<Signal<Int, Never>, Never>((0..<count).map { .just($0) })
      #expect(values(of: signals.concat().scan(0) { count, _ in count + 1 }.takeLast(1)) == [count])
    }
  }

  @Test func `a million rounds of repeat do not grow the stack`() {
    onSmallStack {
      let repeated = Signal<Int, Never>.just(1).repeat(manyRounds)
      #expect(values(of: repeated.reduce(0, +)) == [manyRounds])
    }
  }

  @Test func `a signal that continues itself through concat does not grow the stack`() {
    onSmallStack {
      #expect(values(of: numbers(from: 0).reduce(0) { max($0, $1) }) == [manyRounds])
    }
  }

  @Test func `a signal that continues itself through then does not grow the stack`() {
    onSmallStack {
      #expect(values(of: end(after: manyRounds)) == [0])
    }
  }

  @Test func `a signal that continues itself through flatMap does not grow the stack`() {
    onSmallStack {
      #expect(values(of: countdown(from: manyRounds)) == [0])
    }
  }

  @Test func `a signal that continues itself through catch does not grow the stack`() {
    onSmallStack {
      #expect(values(of: attempt(manyRounds)) == [0])
    }
  }

  @Test func `concat is synchronous within a callback of a concat`() {
    let inner = Notes<[Int]>()
    let signal = Signal<Int, Never>.just(1).concat(.just(2))
    signal.subscribe(next: { _ in inner.add(values(of: signal)) })
    #expect(inner.all == [[1, 2], [1, 2]])
  }

  @Test func `ten thousand operators may be nested`() {
    #if DEBUG
      let depth = 1_000
    #else
      let depth = 10_000
    #endif
    var signal = Signal<Int, Never>.just(0)
    for _ in 0..<depth { signal = signal.map { $0 + 1 } }
    #expect(values(of: signal) == [depth])
  }

  private func numbers(from first: Int) -> Signal<Int, Never> {
    let one = Signal<Int, Never>.just(first)
    return first == manyRounds ? one : one.concat(.deferred { numbers(from: first + 1) })
  }

  private func end(after rounds: Int) -> Signal<Int, Never> {
    rounds == 0 ? .just(0) : Signal<Int, Never>.just(rounds).then { end(after: rounds - 1) }
  }

  private func attempt(_ left: Int) -> Signal<Int, Trouble> {
    if left == 0 { return .just(0) }
    return Signal<Int, Trouble>.fail(Trouble()).catch { _ in attempt(left - 1) }
  }

  private func countdown(from number: Int) -> Signal<Int, Never> {
    Signal<Int, Never>.just(number).flatMap { number in
      number == 0 ? .just(0) : countdown(from: number - 1)
    }
  }
}
