import Signals
import Testing

@Suite struct DisposableBagTests {
  @Test func `a bag that is released disposes its members`() {
    let runs = Counter()
    do {
      let bag = DisposableBag()
      for _ in 0..<5 { AnyDisposable { runs.increment() }.store(in: bag) }
      #expect(runs.value == 0)
    }
    #expect(runs.value == 5)
  }

  @Test func `a bag disposes its members before it is released, too, and those that come later`() {
    let runs = Counter()
    let bag = DisposableBag()
    AnyDisposable { runs.increment() }.store(in: bag)
    bag.dispose()
    #expect(bag.isDisposed)
    #expect(runs.value == 1)
    AnyDisposable { runs.increment() }.store(in: bag)
    #expect(runs.value == 2)
  }

  @Test func `an object that holds a bag ends its subscriptions with it`() {
    final class Screen: Sendable {
      let bag = DisposableBag()
    }
    let news = Subject<Int, Never>()
    let seen = Counter()
    do {
      let screen = Screen()
      news.subscribe(next: { _ in seen.increment() }).store(in: screen.bag)
      news.send(1)
    }
    news.send(2)
    #expect(seen.value == 1)
  }

  @Test func `a variable disposes what it held before`() {
    let first = AnyDisposable {}
    let second = AnyDisposable {}
    do {
      var variable: ScopedDisposable?
      first.store(in: &variable)
      #expect(!first.isDisposed)
      second.store(in: &variable)
      #expect(first.isDisposed)
      #expect(variable?.isDisposed == false)
    }
    #expect(second.isDisposed)
  }
}
