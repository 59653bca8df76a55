internal import Locks
internal import MailingList
internal import Signals

/// The executions that the process remembers: those in flight, and for a while those that ended.
///
/// An execution is a few dozen bytes here; a stream of one is made when somebody asks for it.
final class ExecutionDirectory: Sendable {
  /// How many ended executions are remembered at the most.
  static let maximumEndedCount = 100_000

  /// One that has not ended.
  private struct Execution {
    let startedAt: Timestamp
    /// Those who wait for its end, if there are any.
    var waiting: ReplaySubject<StatusEvent, Never>?
  }

  private struct State {
    var executing: [ExecutionID: Execution] = [:]
    var ended = EndedExecutions()
  }

  private let state = Lock(State())
  private let historyMilliseconds: Int64
  private let now: @Sendable () -> Timestamp

  /// Makes an empty directory.
  ///
  /// - Parameters:
  ///   - history: How long an execution is remembered after its end.
  ///   - now: The clock.
  init(history: Duration, now: @escaping @Sendable () -> Timestamp) {
    historyMilliseconds = Int64(history / .milliseconds(1))
    self.now = now
  }

  /// How many executions are in flight.
  var executingCount: Int { state.withLock { $0.executing.count } }

  /// Remembers a message, and tells it to those who wait for it.
  func record(_ event: StatusEvent) {
    let waiting: ReplaySubject<StatusEvent, Never>? = state.withLock { state in
      switch event.message {
      case .started:
        state.executing[event.execution] = Execution(startedAt: event.time)
        return nil
      case .completed, .failed:
        guard let execution = state.executing.removeValue(forKey: event.execution) else {
          return nil
        }
        let entry = EndedExecutions.Entry(
          id: event.execution,
          startedAt: execution.startedAt,
          end: event.message,
          endedAt: event.time
        )
        state.ended.append(entry)
        forget(at: event.time, in: &state)
        return execution.waiting
      }
    }
    waiting?.send(event)
    waiting?.complete()
  }

  /// The messages of an execution so far; `nil` when it is not, or no longer, known.
  func history(of id: ExecutionID) -> [StatusEvent]? {
    state.withLock { state in
      forget(at: now(), in: &state)
      return Self.history(of: id, in: state)
    }
  }

  /// The messages of an execution: those so far, then those to come; completes after its end.
  func events(of id: ExecutionID) -> Signal<StatusEvent, Never>? {
    state.withLock { state in
      guard let history = Self.history(of: id, in: state) else { return nil }
      guard let execution = state.executing[id] else { return Signal(history) }
      if let waiting = execution.waiting { return waiting.signal }
      let waiting = ReplaySubject<StatusEvent, Never>()
      // Nobody is subscribed yet, so this runs nobody's code.
      for event in history { waiting.send(event) }
      state.executing[id]?.waiting = waiting
      return waiting.signal
    }
  }

  private static func history(of id: ExecutionID, in state: State) -> [StatusEvent]? {
    if let execution = state.executing[id] {
      return [StatusEvent(execution: id, message: .started, time: execution.startedAt)]
    }
    return state.ended.find(id).map { entry in
      [
        StatusEvent(execution: id, message: .started, time: entry.startedAt),
        StatusEvent(execution: id, message: entry.end, time: entry.endedAt),
      ]
    }
  }

  private func forget(at time: Timestamp, in state: inout State) {
    state.ended.forget(
      before: Timestamp(millisecondsSince1970: time.millisecondsSince1970 - historyMilliseconds),
      maximumCount: Self.maximumEndedCount
    )
  }
}
