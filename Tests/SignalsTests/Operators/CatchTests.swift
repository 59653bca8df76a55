import Signals
import SignalsTesting
import Testing

@Suite struct CatchTests {
  @Test(
    arguments: [
      [
        "ab#",
        "ab(xy|)",
      ],
      [
        "a|",
        "a|",
      ],
      [
        "#",
        "(xy|)",
      ],
    ] as [Marbles]
  )
  func `goes on with the other signal after a failure`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.catch { _ in Signal<String, Never>(["x", "y"]) } }
        == marbles.expected
    )
  }

  @Test func `disposes the failed signal before it goes on`() {
    let seen = Recorder()
    let failing = Signal<Int, Trouble> { observer in
      observer.fail(Trouble())
      return AnyDisposable { seen.note("disposed") }
    }
    // The source ends before it has returned what stops it, so its failure comes first here.
    seen.record(failing.catch { Signal<Int, Never>.just($0.number) }, as: "S")
    #expect(seen.lines == ["0.0 S 0", "0.0 S completed", "0.0 disposed"])
  }

  @Test func `fails with the failure of the other signal`() {
    let signal = Signal<Int, Trouble>.fail(Trouble(number: 1))
    #expect(
      events(of: signal.catch { Signal<Int, Trouble>.fail(Trouble(number: $0.number + 1)) })
        == [.failed(Trouble(number: 2))]
    )
  }

  @Test func `stands in the middle of a chain without a type`() {
    let failing = Signal<Int, Trouble>.fail(Trouble(number: 1))
    let replaced: Signal<String, Never> = failing.catch { _ in .just(0) }.map { "\($0)" }
    #expect(events(of: replaced) == [.next("0"), .completed])
    #expect(events(of: failing.catch { _ in .empty }.map { $0 + 1 }) == [.completed])
    let failingAgain = failing.catch { .fail($0) }.map { $0 + 1 }
    #expect(events(of: failingAgain) == [.failed(Trouble(number: 1))])
    let promoted: Signal<Int, Trouble> = failing.catch { _ in .just(0) }
    #expect(events(of: promoted) == [.next(0), .completed])
  }
}
