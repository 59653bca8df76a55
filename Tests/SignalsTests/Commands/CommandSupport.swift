import Signals
import SignalsTesting

extension Recorder {
  /// Records all that a command tells, execution signals among it, from now on.
  func record<Input, Output, Failure>(_ command: Command<Input, Output, Failure>) {
    record(command.executing, as: "executing")
    record(command.enabled, as: "enabled")
    command.executionSignals.subscribe(
      next: { execution in
        self.note("execution")
        self.record(execution, as: "execution")
      },
      completed: { self.note("executions completed") }
    )
    command.executionEvents.subscribe(
      next: { self.note("event \($0.name)") }, completed: { self.note("events completed") })
    record(command.errors, as: "errors")
  }

  /// What was recorded since a moment, without the time.
  func words(from index: Int = 0) -> [String] {
    lines.dropFirst(index).map { line in
      line.split(separator: " ", maxSplits: 1).last.map(String.init) ?? line
    }
  }
}

extension ExecutionEvent {
  /// The event without the ID, which differs from run to run.
  var name: String {
    switch self {
    case .started(_, let input): "started \(input)"
    case .next(_, let value): "next \(value)"
    case .completed: "completed"
    case .failed(_, _, let error): "failed \(error)"
    }
  }

  var id: ExecutionNumber {
    switch self {
    case .started(let id, _), .next(let id, _), .completed(let id, _), .failed(let id, _, _): id
    }
  }
}

/// A scheduler that numbers its turns, so that a test sees what happens in which.
final class TurnScheduler: Scheduler {
  private let scheduler = TestScheduler()
  private let turn = Lock(0)
  private let recorded = Lock<[String]>([])

  var now: Duration { scheduler.now }
  var lines: [String] { recorded.withLock { $0 } }

  func note(_ text: String) {
    let turn = turn.withLock { $0 }
    recorded.withLock { $0.append("Q\(turn) \(text)") }
  }

  /// Runs a test, then the turns that are left: what they hold may hold the scheduler.
  static func test(_ body: (TurnScheduler) -> Void) {
    let turns = TurnScheduler()
    body(turns)
    turns.run()
  }

  /// Runs all turns that wait, and those that they ask for.
  func run() {
    scheduler.advance()
  }

  @discardableResult
  func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    schedule(after: .zero, work)
  }

  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
    scheduler.schedule(after: delay) {
      self.turn.withLock { $0 += 1 }
      work()
    }
  }

  @discardableResult
  func schedule(
    after delay: Duration, repeating interval: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    scheduler.schedule(after: delay, repeating: interval, work)
  }
}
