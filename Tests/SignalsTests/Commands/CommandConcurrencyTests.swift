import Signals
import SignalsTesting
import Testing

/// Executions that overlap, are nested, and are counted.
@Suite struct CommandConcurrencyTests {
  @Test func `a nested execute inside the work's own closure is refused`() {
    let recorder = Recorder()
    let place = Lock<Command<Int, Int, Trouble>?>(nil)
    let made = Counter()
    let command = Command<Int, Int, Trouble> { input in
      made.increment()
      if let command = place.withLock({ $0 }) {
        #expect(events(of: command.execute(input + 1)) == [.failed(.notEnabled(.executing))])
      }
      return .just(input)
    }
    place.withLock { $0 = command }
    recorder.record(command.execute(1), as: "result")
    place.withLock { $0 = nil }
    #expect(recorder.words() == ["result 1", "result completed"])
    #expect(made.value == 1)
  }

  @Test func `an execute from a value is refused, unless concurrent execution is allowed`() {
    for isAllowed in [false, true] {
      let made = Counter()
      let work = Subject<Int, Trouble>()
      let command = Command<Int, Int, Trouble>(allowsConcurrentExecution: isAllowed) { _ in
        made.increment()
        return work.signal
      }
      command.execute(1).take(1).subscribe(next: { [command] in command.execute($0) })
      work.send(1)
      #expect(made.value == (isAllowed ? 2 : 1))
    }
  }

  @Test func `executing lasts until all executions have ended, and tells its edges only`() {
    let recorder = Recorder()
    let works = [Subject<Int, Trouble>(), Subject<Int, Trouble>(), Subject<Int, Trouble>()]
    let command = Command<Int, Int, Trouble>(allowsConcurrentExecution: true) { works[$0].signal }
    recorder.record(command.executing, as: "executing")
    recorder.record(command.enabled, as: "enabled")
    for input in 0..<3 { command.execute(input) }
    works[1].complete()
    works[0].fail(Trouble())
    #expect(recorder.words() == ["executing false", "enabled true", "executing true"])
    works[2].complete()
    #expect(recorder.words().last == "executing false")
  }

  @Test
  func `allowsConcurrentExecution may change at any time; in-flight executions are counted`() {
    let recorder = Recorder()
    let works = [Subject<Int, Trouble>(), Subject<Int, Trouble>()]
    let command = Command<Int, Int, Trouble> { works[$0].signal }
    recorder.record(command.enabled, as: "enabled")
    command.execute(0)
    command.allowsConcurrentExecution = true
    #expect(command.allowsConcurrentExecution)
    command.execute(1)
    command.allowsConcurrentExecution = false
    #expect(!command.allowsConcurrentExecution)
    #expect(recorder.words() == ["enabled true", "enabled false", "enabled true", "enabled false"])
    #expect(events(of: command.execute(0)) == [.failed(.notEnabled(.executing))])
    works[0].complete()
    #expect(values(of: command.enabled) == [false])
    #expect(events(of: command.execute(0)) == [.failed(.notEnabled(.executing))])
    works[1].complete()
    #expect(values(of: command.enabled) == [true])
    #expect(recorder.words().count == 5)
  }

  @Test func `an execution that was accepted before another one has the smaller ID`() {
    let ids = Lock<[Int: ExecutionNumber]>([:])
    let place = Lock<Command<Int, Int, Trouble>?>(nil)
    let command = Command<Int, Int, Trouble>(allowsConcurrentExecution: true) { input in
      if input < 3, let command = place.withLock({ $0 }) { command.execute(input + 1) }
      return .empty
    }
    place.withLock { $0 = command }
    command.executionEvents.subscribe(next: { event in
      if case .started(let id, let input) = event { ids.withLock { $0[input] = id } }
    })
    command.execute(0)
    place.withLock { $0 = nil }
    let sorted = ids.withLock { $0 }.sorted { $0.value < $1.value }
    #expect(sorted.map(\.key) == [0, 1, 2, 3])
  }

  @Test func `a thousand executions that end at once leave it enabled`() {
    let command = Command<Int, Int, Trouble> { $0.isMultiple(of: 2) ? .just($0) : .fail(Trouble()) }
    let edges = Counter()
    command.executing.skip(1).subscribe(next: { _ in edges.increment() })
    for input in 0..<1_000 { command.execute(input) }
    #expect(edges.value == 2_000)
    #expect(values(of: command.enabled) == [true])
  }
}
