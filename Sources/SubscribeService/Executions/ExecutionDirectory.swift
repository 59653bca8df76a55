internal import Locks
internal import MailingList
internal import Signals

/// The executions that the process remembers: those in flight, and for a while those that ended.
///
/// An execution is a few dozen octets here; a stream of one is made when somebody asks for it.
final class ExecutionDirectory: Sendable {
  /// How many ended executions are remembered at the most.
  static let maximumEndedCount = 100_000

  private struct Record {
    let startedAt: Timestamp
    var end: (message: StatusMessage, time: Timestamp)?
  }

  private struct State {
    var records: [SignUpID: Record] = [:]
    /// Who waits for the end of an execution; only those that somebody asked for.
    var waiting: [SignUpID: ReplaySubject<StatusEvent, Never>] = [:]
    var ended = FirstInFirstOut<(id: SignUpID, time: Timestamp)>()
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
  var executingCount: Int { state.withLock { $0.records.count - $0.ended.count } }

  /// Remembers a message, and tells it to those who wait for it.
  func record(_ event: StatusEvent) {
    let waiting: ReplaySubject<StatusEvent, Never>? = state.withLock { state in
      switch event.message {
      case .started:
        state.records[event.execution] = Record(startedAt: event.time)
        return nil
      case .completed, .failed:
        state.records[event.execution]?.end = (event.message, event.time)
        state.ended.append((event.execution, event.time))
        forget(in: &state)
        return state.waiting.removeValue(forKey: event.execution)
      }
    }
    waiting?.send(event)
    waiting?.complete()
  }

  /// The messages of an execution so far; `nil` when it is not, or no longer, known.
  func history(of id: SignUpID) -> [StatusEvent]? {
    state.withLock { state in
      forget(in: &state)
      return state.records[id].map { Self.history(of: id, $0) }
    }
  }

  /// The messages of an execution: those so far, then those to come; completes after its end.
  func events(of id: SignUpID) -> Signal<StatusEvent, Never>? {
    state.withLock { state in
      guard let record = state.records[id] else { return nil }
      let history = Self.history(of: id, record)
      guard record.end == nil else { return Signal(history) }
      if let waiting = state.waiting[id] { return waiting.signal }
      let waiting = ReplaySubject<StatusEvent, Never>()
      // Nobody is subscribed yet, so this runs nobody's code.
      for event in history { waiting.send(event) }
      state.waiting[id] = waiting
      return waiting.signal
    }
  }

  private static func history(of id: SignUpID, _ record: Record) -> [StatusEvent] {
    var history = [StatusEvent(execution: id, message: .started, time: record.startedAt)]
    if let end = record.end {
      history.append(StatusEvent(execution: id, message: end.message, time: end.time))
    }
    return history
  }

  private func forget(in state: inout State) {
    let limit = now().millisecondsSince1970 - historyMilliseconds
    while let oldest = state.ended.first,
      state.ended.count > Self.maximumEndedCount || oldest.time.millisecondsSince1970 < limit
    {
      state.records[oldest.id] = nil
      state.ended.removeFirst()
    }
  }
}

/// A queue in an array, without moving what stays at every removal.
private struct FirstInFirstOut<Element> {
  private var elements: [Element] = []
  private var removedCount = 0

  var count: Int { elements.count - removedCount }

  var first: Element? { count > 0 ? elements[removedCount] : nil }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func removeFirst() {
    removedCount += 1
    if removedCount > 64, removedCount > elements.count / 2 {
      elements.removeFirst(removedCount)
      removedCount = 0
    }
  }
}
