import Signals
import SignalsTesting
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

  @Test func `ends, and disposes the signal, when the iterating task is canceled`() async {
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

  @Test(arguments: StressOrderTests.Kind.allCases)
  func `ends when the subject is released`(kind: StressOrderTests.Kind) async {
    var subject: (any SubjectProtocol<Int, Never>)? = kind.subject()
    let signal = subject?.signal.map { $0 }
    var iterator = signal?.merge(with: .never).values.makeAsyncIterator()
    var other = signal?.values.makeAsyncIterator()
    subject?.send(1)
    subject = nil
    var seen: [Int] = []
    while let value = await iterator?.next() { seen.append(value) }
    #expect(seen.last == 1)
    seen = []
    while let value = await other?.next() { seen.append(value) }
    #expect(seen.last == 1)
    // Also when it was released before the iteration begins.
    var late = signal?.values.makeAsyncIterator()
    while let value = await late?.next() { #expect(value == 1) }
  }

  @Test
  func `last and first end when the subject is released, and other observers hear nothing`() async {
    let recorder = Recorder()
    let isWaiting = ReplaySubject<Void, Never>()
    for isLast in [true, false] {
      var subject: Subject<Int, Never>? = Subject()
      let signal = (subject?.signal ?? .never).initially { isWaiting.send(()) }
      let others = subject?.signal
      let task = Task { isLast ? await signal.last() : await signal.first() }
      _ = await isWaiting.signal.first()
      recorder.record(others ?? .empty, as: "S")
      // Another subscriber makes sure that the first one is there.
      subject?.signal.subscribe().dispose()
      subject = nil
      #expect(await task.value == nil)
    }
    #expect(recorder.lines.isEmpty)
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
    policy: AsyncStream<Int>.Continuation.BufferingPolicy, expected: [Int]
  ) async throws {
    let source = Signal<Int, Trouble>([1, 2, 3, 4]).concat(.fail(Trouble()))
    var seen: [Int] = []
    await #expect(throws: Trouble()) {
      for try await value in source.values(bufferingPolicy: policy) { seen.append(value) }
    }
    #expect(seen == expected)
  }
}
