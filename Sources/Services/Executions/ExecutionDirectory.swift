internal import MailingList
internal import Signals

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

/// The most recently ended executions, in the order of their ends.
///
/// Clients almost never request an ended execution, so the time in its id is the only index: each
/// part knows the span of its ids, and a search reads only the one or two parts that can contain an
/// id. Growing moves no entry: a hash table of this size stopped the event loop for milliseconds
/// whenever it grew, and cost each sign-up a microsecond.
struct EndedExecutions {
  struct Entry {
    let id: ExecutionID
    let startedAt: Timestamp
    let end: StatusMessage
    let endedAt: Timestamp
  }

  private struct Part {
    var entries: [Entry] = []
    /// The times at which the ids of the part were created.
    var span: ClosedRange<Timestamp>

    init(_ entry: Entry, capacity: Int) {
      span = entry.id.madeAt...entry.id.madeAt
      entries.reserveCapacity(capacity)
      entries.append(entry)
    }

    mutating func append(_ entry: Entry) {
      entries.append(entry)
      let time = entry.id.madeAt
      // Ids arrive nearly in the order of their times, but a clock can be set back.
      if time > span.upperBound { span = span.lowerBound...time }
      if time < span.lowerBound { span = time...span.upperBound }
    }
  }

  private static let partCapacity = 1024

  private var parts: [Part] = []
  /// The number of forgotten entries of the first part.
  private var forgottenCount = 0
  /// The number of remembered executions.
  private(set) var count = 0

  /// The remembered execution that ended first.
  private var first: Entry? { parts.first.map { $0.entries[forgottenCount] } }

  mutating func append(_ entry: Entry) {
    count += 1
    if let last = parts.indices.last, parts[last].entries.count < Self.partCapacity {
      parts[last].append(entry)
    } else {
      parts.append(Part(entry, capacity: Self.partCapacity))
    }
  }

  /// Forgets executions that ended before a time, and the oldest ones beyond the maximum count.
  mutating func forget(before time: Timestamp, maximumCount: Int) {
    while let first, count > maximumCount || first.endedAt < time {
      count -= 1
      forgottenCount += 1
      if forgottenCount == parts[0].entries.count {
        parts.removeFirst()
        forgottenCount = 0
      }
    }
  }

  /// Finds an execution by its id; `nil` if it is unknown or forgotten.
  func find(_ id: ExecutionID) -> Entry? {
    for (index, part) in parts.enumerated() where part.span.contains(id.madeAt) {
      let remembered = part.entries.dropFirst(index == 0 ? forgottenCount : 0)
      if let entry = remembered.first(where: { $0.id == id }) { return entry }
    }
    return nil
  }
}
