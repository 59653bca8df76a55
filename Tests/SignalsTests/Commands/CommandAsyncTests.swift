import Signals
import SignalsTesting
import Testing

/// A command whose work is an async closure, and one that is awaited.
@Suite struct CommandAsyncTests {
  @Test func `an async body sends its result and completes`() async throws {
    let command = Command<Int, String, Trouble> { input async throws(Trouble) in
      await Task.yield()
      return "\(input)"
    }
    #expect(try await command(7) == "7")
    #expect(values(of: command.executing) == [false])
  }

  @Test func `an async body that throws fails the execution, and errors hears of it`() async {
    let failures = ReplaySubject<Trouble, Never>()
    let command = Command<Int, String, Trouble> { input async throws(Trouble) in
      throw Trouble(number: input)
    }
    command.errors.subscribe(failures.observer)
    await #expect(throws: CommandError<Trouble>.failed(Trouble(number: 3))) {
      try await command(3)
    }
    #expect(await failures.signal.first() == Trouble(number: 3))
  }

  @Test func `awaited, it gives the last value, nil when there was none, and throws`() async throws
  {
    let command = Command<Int, Int, Trouble> { input in
      switch input {
      case 0: .empty
      case 1...9: Signal(1...input)
      default: .fail(Trouble(number: input))
      }
    }
    #expect(try await command(5) == 5)
    #expect(try await command(0) == nil)
    await #expect(throws: CommandError<Trouble>.failed(Trouble(number: 10))) {
      try await command(10)
    }
  }

  @Test func `awaited, a rejection throws`() async {
    let command = Command<Int, Int, Trouble>(enabled: .just(false)) { _ in .empty }
    await #expect(throws: CommandError<Trouble>.notEnabled(.disabled)) { try await command(1) }
  }

  @Test func `canceling the task that awaits neither cancels the work nor ends the wait`() async {
    let release = ReplaySubject<Int, Never>()
    let wasCanceled = ReplaySubject<Bool, Never>()
    let command = Command<Int, Int, Never> { _ in
      let value = await release.signal.first() ?? 0
      wasCanceled.send(Task.isCancelled)
      return value
    }
    let waiting = Task { try? await command(1) }
    _ = await command.executing.filter { $0 }.first()
    waiting.cancel()
    release.send(8)
    #expect(await waiting.value == 8)
    #expect(await wasCanceled.signal.first() == false)
  }

  @Test(arguments: [true, false])
  func `an async body is canceled by disposing its result only when the caller asked for that`(
    cancels: Bool
  ) async {
    let hasBegun = ReplaySubject<Void, Never>()
    let release = ReplaySubject<Int, Never>()
    let wasCanceled = ReplaySubject<Bool, Never>()
    let command = Command<Int, Int, Never>(cancelsOnDispose: cancels) { _ in
      hasBegun.send(())
      let value = await release.signal.first()
      wasCanceled.send(Task.isCancelled)
      return value ?? -1
    }
    let result = command.execute(1)
    _ = await hasBegun.signal.first()
    result.subscribe().dispose()
    // The execution lasts until the body returns; canceled, this one returns by itself.
    if !cancels { release.send(1) }
    #expect(await wasCanceled.signal.first() == cancels)
    #expect(await result.promised().first() == (cancels ? -1 : 1))
    _ = await command.executing.filter { !$0 }.first()
  }

  @Test func `a result that is disposed before a scheduler begins the work cancels it too`() async {
    let scheduler = TestScheduler()
    let never = Subject<Int, Never>()
    do {
      let command = Command<Int, Bool, Never>(cancelsOnDispose: true, scheduler: scheduler) { _ in
        _ = await never.signal.first()
        return Task.isCancelled
      }
      let result = command.execute(1)
      result.subscribe().dispose()
      scheduler.advance()
      #expect(await result.promised().first() == true)
      while values(of: command.executing) == [true] {
        scheduler.advance()
        await Task.yield()
      }
    }
    // What is left waiting would hold the scheduler.
    scheduler.advance()
  }

  @Test func `executes from many tasks, each with its own result`() async {
    let command = Command<Int, Int, Never>(allowsConcurrentExecution: true) { input in
      await Task.yield()
      return input * 2
    }
    let results = await withTaskGroup(of: Int?.self) { group in
      for input in 0..<200 { group.addTask { try? await command(input) } }
      return await group.reduce(into: [Int]()) { results, result in
        if let result { results.append(result) }
      }
    }
    #expect(results.sorted() == (0..<200).map { $0 * 2 })
    _ = await command.executing.filter { !$0 }.first()
  }
}

extension Signal {
  /// The same without its failure, which ends it.
  fileprivate func promised() -> Signal<Value, Never> {
    self.catch { _ in .empty }
  }
}
