import Signals
import SignalsTesting
import Testing

/// In which order a command tells what, by turns of its scheduler and without one.
@Suite struct CommandTurnsTests {
  /// T13: the turns of the article's table are Q1 to Q4, Q7 and Q8; Q5 and Q6 belong to
  /// `executionEvents`, which the article's command has not.
  @Test func `with a scheduler every change of state has a turn of its own`() {
    TurnScheduler.test { turns in
      let command = Command<Int, String, Trouble>(scheduler: turns) { _ in
        turns.note("work made")
        return Signal { observer in
          turns.note("work subscribed")
          observer.send("data")
          observer.complete()
          return nil
        }
      }
      command.executionSignals.subscribe(next: { execution in
        turns.note("execution")
        execution.subscribe(
          next: { turns.note("nested \($0)") }, completed: { turns.note("nested completed") })
      })
      command.executionSignals.switchToLatest().subscribe(next: { turns.note("switch \($0)") })
      command.executing.skip(1).subscribe(next: { turns.note("executing \($0)") })
      command.enabled.skip(1).subscribe(next: { turns.note("enabled \($0)") })
      command.executionEvents.subscribe(next: { turns.note("event \($0.name)") })

      command.execute(1)
      #expect(turns.lines == ["Q0 work made"])
      turns.run()
      #expect(
        turns.lines.dropFirst() == [
          "Q1 executing true",
          "Q2 enabled false",
          "Q3 execution",
          "Q3 event started 1",
          "Q4 work subscribed",
          "Q4 nested data",
          "Q4 switch data",
          "Q4 nested completed",
          "Q5 event next data",
          "Q6 event completed",
          "Q7 executing false",
          "Q8 enabled true",
        ]
      )
    }
  }

  @Test func `with a scheduler the gate closes at once, before observers are told`() {
    TurnScheduler.test { turns in
      let command = Command<Int, Int, Trouble>(scheduler: turns) { _ in .never }
      command.execute(1)
      #expect(values(of: command.executing) == [false])
      #expect(values(of: command.enabled) == [true])
      #expect(events(of: command.execute(2)) == [.failed(.notEnabled(.executing))])
      turns.run()
      #expect(values(of: command.executing) == [true])
      #expect(values(of: command.enabled) == [false])
    }
  }

  @Test func `with a scheduler whoever holds the result is told of it first`() {
    TurnScheduler.test { turns in
      let work = Subject<Int, Trouble>()
      let command = Command<Int, Int, Trouble>(scheduler: turns) { _ in work.signal }
      command.errors.subscribe(next: { turns.note("errors \($0.number)") })
      command.executing.skip(1).subscribe(next: { turns.note("executing \($0)") })
      command.executionSignals.flatten().subscribe(next: { turns.note("execution \($0)") })
      command.execute(1).subscribe(
        next: { turns.note("result \($0)") }, failed: { _ in turns.note("result failed") })
      turns.run()
      work.send(7)
      work.fail(Trouble(number: 9))
      turns.run()
      #expect(
        turns.lines == [
          "Q1 executing true", "Q4 result 7", "Q4 execution 7", "Q4 result failed",
          "Q7 errors 9", "Q8 executing false",
        ]
      )
    }
  }

  @Test func `without a scheduler a success is told in one order, on the caller's stack`() {
    let recorder = Recorder()
    let command = Command<Int, String, Trouble> { _ in
      recorder.note("work made")
      return Signal { observer in
        recorder.note("work subscribed")
        observer.send("data")
        observer.complete()
        return nil
      }
    }
    recorder.record(command)
    let start = recorder.lines.count
    recorder.record(command.execute(1), as: "result")
    #expect(
      recorder.words(from: start) == [
        "work made", "executing true", "enabled false", "execution", "event started 1",
        "work subscribed", "execution data", "event next data",
        "event completed", "execution completed", "executing false", "enabled true",
        "result data", "result completed",
      ]
    )
  }

  @Test func `without a scheduler a failure is told in one order, on the caller's stack`() {
    let recorder = Recorder()
    let work = Subject<String, MarbleError>()
    let command = Command<Int, String, MarbleError> { _ in work.signal }
    recorder.record(command)
    recorder.record(command.execute(1), as: "result")
    let start = recorder.lines.count
    work.fail(MarbleError())
    #expect(
      recorder.words(from: start) == [
        "event failed #", "execution completed", "result failed failed(#)", "errors #",
        "executing false", "enabled true",
      ]
    )
  }

  @Test func `executing comes before enabled also when the work's closure changes what enables`() {
    let recorder = Recorder()
    let isValid = Property(true)
    let command = Command<Int, Int, Never>(enabled: isValid.signal) { _ in
      isValid.value = false
      isValid.value = true
      return .never
    }
    recorder.record(command.executing.skip(1), as: "executing")
    recorder.record(command.enabled.skip(1), as: "enabled")
    command.execute(1)
    #expect(recorder.words() == ["executing true", "enabled false"])
  }
}
