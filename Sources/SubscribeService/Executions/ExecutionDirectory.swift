internal import Signals
internal import MailingList

/// The executions that the process remembers: those in flight, and recently ended ones.
///
/// Each execution takes a few dozen bytes; its stream is created when a client requests it.
final class ExecutionDirectory: Sendable {
  /// The maximum number of remembered executions that have ended.
  static let maximumEndedCount = 100_000

  private struct Execution {
    let startedAt: Timestamp
    /// The observers that wait for its end, if any.
    var waiting: ReplaySubject<StatusEvent, Never>?
  }

  private struct State {
    var executing: [ExecutionID: Execution] = [:]
    var ended = EndedExecutions()
  }

  private let state = Lock(State())
  private let historyMilliseconds: Int64
  private let now: @Sendable () -> Timestamp

  init(history: Duration, now: @escaping @Sendable () -> Timestamp) {
    historyMilliseconds = Int64(history / .milliseconds(1))
    self.now = now
  }

  var executingCount: Int { state.withLock { $0.executing.count } }

  /// Records a message, and sends it to the observers that wait for it.
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
          id: event.execution, startedAt: execution.startedAt, end: event.message,
          endedAt: event.time)
        state.ended.append(entry)
        forget(at: event.time, in: &state)
        return execution.waiting
      }
    }
    waiting?.send(event)
    waiting?.complete()
  }

  /// Returns the messages of an execution so far; `nil` if it is unknown or forgotten.
  func history(of id: ExecutionID) -> [StatusEvent]? {
    state.withLock { state in
      forget(at: now(), in: &state)
      return Self.history(of: id, in: state)
    }
  }

  /// Returns a signal with the messages of an execution so far, then the remaining ones; `nil` if
  /// it is unknown or forgotten.
  ///
  /// The signal completes after the execution's end.
  func events(of id: ExecutionID) -> Signal<StatusEvent, Never>? {
    state.withLock { state in
      guard let history = Self.history(of: id, in: state) else { return nil }
      guard let execution = state.executing[id] else { return Signal(history) }
      if let waiting = execution.waiting { return waiting.signal }
      let waiting = ReplaySubject<StatusEvent, Never>()
      // There are no observers yet, so this runs no foreign code under the lock.
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
      maximumCount: Self.maximumEndedCount)
  }
}
