import Signals
import Testing

@Suite struct SignalAsyncTests {
  @Test func `a task's value is sent, its error is the failure`() async throws {
    let value = Signal<Int, Trouble>.task { () async throws(Trouble) in
      await Task.yield()
      return 3
    }
    #expect(try await value.collect().first() == [3])
    let failing = Signal<Int, Trouble>.task { () async throws(Trouble) in
      throw Trouble(number: 6)
    }
    await #expect(throws: Trouble(number: 6)) { try await failing.first() }
  }

  @Test func `a task runs anew for each subscription, and not before`() async {
    let runs = Counter()
    let signal = Signal<Int, Never>.task {
      runs.increment()
      return runs.value
    }
    #expect(runs.value == 0)
    #expect(await signal.first() == 1)
    #expect(await signal.first() == 2)
  }

  @Test func `disposal cancels the task`() async {
    let started = ReplaySubject<Void, Never>()
    let canceled = ReplaySubject<Bool, Never>()
    let hold = Signal<Int, Never>.never
    let subscription = Signal<Int, Never>
      .task {
        started.send(())
        _ = await hold.first()
        canceled.send(Task.isCancelled)
        return 1
      }
      .subscribe()
    _ = await started.signal.first()
    subscription.dispose()
    #expect(await canceled.signal.first() == true)
  }

  @Test func `an asynchronous sequence is sent element by element`() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for value in 1...3 { continuation.yield(value) }
    continuation.finish()
    #expect(await Signal<Int, Never>(stream).collect().first() == [1, 2, 3])
  }

  @Test func `a signal's values make the same signal again`() async {
    let signal = Signal<Int, Trouble>(1...4)
    let again = Signal<Int, Trouble>(signal.values)
    #expect(await again.materialize().collect().first()?.count == 5)
  }
}
