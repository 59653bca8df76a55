import Signals
import SignalsTesting
import Testing

/// Signals that cannot fail where those that can are expected.
@Suite struct PromotionTests {
  private let numbers = Signal<Int, Trouble>([1, 2]).concat(.fail(Trouble(number: 3)))
  private let safe = Signal<Int, Never>([7, 8])
  private let failed = Event<Int, Trouble>.failed(Trouble(number: 3))

  @Test func `merges a signal that fails with one that cannot, in either order`() {
    let values: [Event<Int, Trouble>] = [.next(7), .next(8), .next(1), .next(2), failed]
    #expect(events(of: safe.merge(with: numbers)) == values)
    #expect(events(of: Signal.merge(safe, numbers)) == values)
    #expect(events(of: numbers.merge(with: safe)) == [.next(1), .next(2), failed])
    #expect(events(of: Signal.merge(numbers, safe)) == [.next(1), .next(2), failed])
  }

  @Test func `concatenates a signal that fails with one that cannot, in either order`() {
    #expect(events(of: safe.concat(numbers)) == [.next(7), .next(8), .next(1), .next(2), failed])
    #expect(events(of: numbers.take(1).concat(safe)) == [.next(1), .next(7), .next(8), .completed])
  }

  @Test func `combines a signal that fails with one that cannot, in either order`() {
    #expect(
      events(of: combineLatest(safe, numbers) { 10 * $0 + $1 }) == [.next(81), .next(82), failed])
    #expect(events(of: combineLatest(numbers, safe) { 10 * $0 + $1 }) == [failed])
    #expect(
      events(of: combineLatest(safe, numbers).map { $0 + $1 }) == [.next(9), .next(10), failed])
    #expect(events(of: combineLatest(numbers, safe).map { $0 + $1 }) == [failed])
  }

  @Test func `zips a signal that fails with one that cannot, in either order`() {
    let pairs: [Event<Int, Trouble>] = [.next(71), .next(82), .completed]
    #expect(events(of: zip(safe, numbers) { 10 * $0 + $1 }) == pairs)
    #expect(events(of: zip(safe, numbers).map { 10 * $0 + $1 }) == pairs)
    #expect(events(of: zip(numbers, safe) { 10 * $1 + $0 }) == [failed])
    #expect(events(of: zip(numbers, safe).map { 10 * $1 + $0 }) == [failed])
  }

  @Test func `makes signals that fail of the values of one that cannot`() {
    let numbers = numbers
    let all: [Event<Int, Trouble>] = [.next(1), .next(2), failed]
    #expect(events(of: safe.flatMap { _ in numbers }) == all)
    #expect(events(of: safe.concatMap { _ in numbers }) == all)
    #expect(events(of: safe.flatMapLatest { _ in numbers }) == all)
    #expect(events(of: safe.exhaustMap { _ in numbers }) == all)
    #expect(events(of: safe.then { numbers }) == all)
    #expect(events(of: safe.map { _ in numbers }.flatten()) == all)
    #expect(events(of: safe.map { _ in numbers }.concat()) == all)
    #expect(events(of: safe.map { _ in numbers }.switchToLatest()) == all)
  }

  @Test func `makes signals that cannot fail of the values of one that fails`() {
    let doubled: [Event<Int, Trouble>] = [.next(2), .next(4), failed]
    let double: @Sendable (Int) -> Signal<Int, Never> = { .just(2 * $0) }
    #expect(events(of: numbers.flatMap { double($0) }) == doubled)
    #expect(events(of: numbers.concatMap { double($0) }) == doubled)
    #expect(events(of: numbers.flatMapLatest { double($0) }) == doubled)
  }

  @Test func `maps the values of a signal that cannot fail with a function that throws`() {
    let parse: @Sendable (Int) throws(Trouble) -> Int = { value throws(Trouble) in
      if value == 8 { throw Trouble(number: 3) }
      return 2 * value
    }
    #expect(events(of: safe.tryMap(parse)) == [.next(14), failed])
  }

  @Test func `lets a signal that cannot fail time out`() {
    let scheduler = TestScheduler()
    let slow = Signal<Int, Never>.never
    let result = slow.timeout(after: .seconds(2), on: scheduler, with: MarbleError())
    #expect(scheduler.diagram(of: result) == "--#")
  }

  @Test func `samples a signal that fails when one that cannot says so`() {
    let scheduler = TestScheduler()
    let source = scheduler.signal("a-b-#")
    let sampler = Signal.interval(.seconds(3), on: scheduler)
    #expect(scheduler.diagram(of: source.sample(on: sampler)) == "---b#")
  }

  @Test func `combines any number of signals, of which some cannot fail and others fail otherwise`()
  {
    let other = Signal<Int, MarbleError>.never
    let all = combineLatest(safe, numbers, safe, other, safe, safe, safe, numbers) {
      $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
    }
    #expect(failure(of: all) as? Trouble == Trouble(number: 3))
    let pairs = zip(safe, safe, numbers) { 100 * $0 + 10 * $1 + $2 }
    #expect(values(of: pairs) == [771, 882])
    #expect(values(of: Signal.merge(safe, other, numbers)) == [7, 8, 1, 2])
  }

  @Test func `lets a typed error meet any error`() {
    let numbers = numbers
    let untyped = Signal<Int, any Error>([5])
    #expect(values(of: untyped.flatMap { _ in numbers }) == [1, 2])
    #expect(failure(of: untyped.flatMap { _ in numbers }) as? Trouble == Trouble(number: 3))
    #expect(values(of: untyped.flatMapLatest { _ in numbers }) == [1, 2])
    #expect(values(of: untyped.concatMap { _ in numbers }) == [1, 2])
    #expect(values(of: untyped.merge(with: numbers)) == [5, 1, 2])
    #expect(values(of: untyped.concat(numbers)) == [5, 1, 2])
    #expect(values(of: numbers.flatMap { _ in untyped }) == [5, 5])
    #expect(failure(of: numbers.flatMapLatest { _ in untyped }) as? Trouble == Trouble(number: 3))
  }

  private func failure<Value>(of signal: Signal<Value, any Error>) -> (any Error)? {
    events(of: signal).compactMap { if case .failed(let error) = $0 { error } else { nil } }.last
  }
}
