import Signals
import Synchronization
import Testing

/// A command that is executed by many threads at once.
@Suite struct CommandThreadsTests {
  @Test func `of 64 threads that execute at once one starts, and 63 are told that it executes`() {
    let threads = ThreadTeam(64)
    let work = Subject<Int, Never>()
    let made = Atomic(0)
    let refused = Atomic(0)
    let edges = Notes<Bool>()
    let command = Command<Int, Int, Never> { _ in
      made.wrappingAdd(1, ordering: .relaxed)
      return work.signal.take(1)
    }
    command.executing.skip(1).subscribe(next: { edges.add($0) })
    for round in 1...1_000 {
      threads.run { thread in
        command.execute(thread).subscribe(failed: { error in
          if case .notEnabled(.executing) = error { refused.wrappingAdd(1, ordering: .relaxed) }
        })
      }
      work.send(round)
      guard made.load(ordering: .relaxed) == round,
        refused.load(ordering: .relaxed) == 63 * round,
        values(of: command.enabled) == [true], values(of: command.executing) == [false]
      else {
        Issue.record("round \(round): another number than one started, or it did not end")
        return
      }
    }
    #expect(edges.all == (0..<2_000).map { $0.isMultiple(of: 2) })
  }

  @Test func `executions that end at once are told one after the other, whichever threads execute`()
  {
    let threads = ThreadTeam(8)
    let notes = Notes<String>()
    let accepted = Atomic(0)
    let command = Command<Int, Int, Never> { .just($0) }
    command.executing.skip(1).subscribe(next: { notes.add($0 ? "executing" : "idle") })
    command.executionEvents.subscribe(next: { event in
      if case .started = event { notes.add("started") }
      if case .completed = event { notes.add("completed") }
    })
    threads.run { _ in
      for input in 0..<500 {
        command.execute(input).subscribe(completed: {
          accepted.wrappingAdd(1, ordering: .relaxed)
        })
      }
    }
    let expected = ["executing", "started", "completed", "idle"]
    let count = accepted.load(ordering: .relaxed)
    #expect(count > 0)
    #expect(notes.all == Array(repeatElement(expected, count: count).joined()))
    #expect(values(of: command.enabled) == [true])
  }

  @Test func `concurrent executions are all told, each in its order, while the flag is toggled`() {
    let threads = ThreadTeam(8)
    let events = Notes<ExecutionEvent<Int, Int, Never>>()
    let executing = Notes<Bool>()
    let enabled = Notes<Bool>()
    let accepted = Atomic(0)
    let command = Command<Int, Int, Never>(allowsConcurrentExecution: true) { Signal([$0, -$0]) }
    command.executionEvents.subscribe(next: { events.add($0) })
    command.executing.subscribe(next: { executing.add($0) })
    command.enabled.subscribe(next: { enabled.add($0) })
    threads.run { thread in
      for number in 1...300 {
        if thread == 0 { command.allowsConcurrentExecution = number.isMultiple(of: 2) }
        command.execute(thread * 1_000 + number).subscribe(completed: {
          accepted.wrappingAdd(1, ordering: .relaxed)
        })
      }
    }
    command.allowsConcurrentExecution = false
    let byID = Dictionary(grouping: events.all, by: \.id)
    #expect(byID.count == accepted.load(ordering: .relaxed))
    #expect(
      byID.values.allSatisfy { events in
        guard case .started(let id, let input) = events.first else { return false }
        return events == [
          .started(id, input), .next(id, input), .next(id, -input), .completed(id, input),
        ]
      }
    )
    for edges in [executing.all, enabled.all] {
      #expect(zip(edges, edges.dropFirst()).allSatisfy { $0 != $1 })
    }
    #expect(executing.all.last == false)
    #expect(enabled.all.last == true)
  }

  @Test func `of many executions, some without an end, nothing stays when the command has gone`() {
    let threads = ThreadTeam(4)
    let census = Census()
    do {
      let command = Command<Int, Int, Trouble>(allowsConcurrentExecution: true) { input in
        switch input % 4 {
        case 0: .just(input)
        case 1: .fail(Trouble(number: input))
        case 2: .never
        default: Signal { _ in nil }
        }
      }
      threads.run { _ in
        for input in 0..<200 {
          let citizen = census.citizen()
          let result = command.execute(input)
          result.subscribe(next: { _ in citizen.stay() }, completed: { citizen.stay() })
          let watch = command.executing.subscribe(next: { _ in citizen.stay() })
          if input.isMultiple(of: 3) { watch.dispose() }
        }
      }
    }
    #expect(census.living == 0)
  }
}
