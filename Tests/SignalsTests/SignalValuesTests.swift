import Signals
import Testing

@Suite struct SignalValuesTests {
  @Test func `hands out all values, and ends with the signal`() async {
    var seen: [Int] = []
    for await value in Signal<Int, Never>(1...3).values { seen.append(value) }
    #expect(seen == [1, 2, 3])
  }

  @Test func `throws the error of the signal, in its type, after its values`() async {
    let signal = Signal<Int, Trouble>.fail(Trouble(number: 5)).startWith(1)
    var seen: [Int] = []
    do throws(Trouble) {
      for try await value in signal.values { seen.append(value) }
      Issue.record("should have thrown")
    } catch {
      #expect(error == Trouble(number: 5))
    }
    #expect(seen == [1])
  }

  @Test func `loses nothing that is sent before it is asked for`() async {
    let subject = Subject<Int, Never>()
    var iterator = subject.signal.values.makeAsyncIterator()
    for value in 0..<100 { subject.send(value) }
    subject.complete()
    var sum = 0
    while let value = await iterator.next() { sum += value }
    #expect(sum == 4_950)
    #expect(await iterator.next() == nil)
  }

  @Test func `disposes the signal when the iteration is left`() async {
    let disposals = Counter()
    let signal = Signal<Int, Never>.never.startWith(1).do(disposed: { disposals.increment() })
    for await _ in signal.values { break }
    #expect(disposals.value == 1)
  }

  @Test func `ends, and disposes the signal, when the iterating task is cancelled`() async {
    let disposals = Counter()
    let subscribed = ReplaySubject<Void, Never>()
    let signal = Signal<Int, Never>.never
      .initially { subscribed.send(()) }
      .do(disposed: { disposals.increment() })
    let task = Task {
      var count = 0
      for await _ in signal.values { count += 1 }
      return count
    }
    _ = await subscribed.signal.first()
    task.cancel()
    #expect(await task.value == 0)
    #expect(disposals.value == 1)
  }

  @Test func `hands over what other threads send while it waits`() async {
    let signal = Signal<Int, Never> { observer in
      let task = Task.detached {
        for value in 0..<1_000 { observer.send(value) }
        observer.complete()
      }
      return AnyDisposable { task.cancel() }
    }
    var seen: [Int] = []
    for await value in signal.values { seen.append(value) }
    #expect(seen == Array(0..<1_000))
  }

  @Test(
    arguments: [
      (.unbounded, [1, 2, 3, 4]),
      (.bufferingOldest(2), [1, 2]),
      (.bufferingNewest(2), [3, 4]),
      (.bufferingOldest(0), []),
      (.bufferingNewest(0), []),
    ] as [(AsyncStream<Int>.Continuation.BufferingPolicy, [Int])]
  )
  func `keeps as many values as the policy says, and the end`(
    policy: AsyncStream<Int>.Continuation.BufferingPolicy,
    expected: [Int]
  ) async throws {
    let source = Signal<Int, Trouble>([1, 2, 3, 4]).concat(.fail(Trouble()))
    var seen: [Int] = []
    await #expect(throws: Trouble()) {
      for try await value in source.values(bufferingPolicy: policy) { seen.append(value) }
    }
    #expect(seen == expected)
  }
}
