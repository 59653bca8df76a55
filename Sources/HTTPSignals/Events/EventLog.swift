package import Signals

/// The most recent events of a stream, shared by all clients that read it.
///
/// The log keeps an event until `capacity` more have been appended, as what it is made from; a reader
/// encodes it, so an event that no client reads is never encoded. A client is only a position in the
/// log, so a slow client costs nothing. When its position leaves the window, its stream is closed;
/// the client reconnects and resumes from the last id it has received.
package final class EventLog: Sendable {
  /// The result of reading from a position.
  package enum Reading: Equatable, Sendable {
    /// Complete blocks, at least one, and the position after them.
    case blocks([UInt8], next: UInt64)
    /// There is no event yet; ``EventLog/advances`` sends when one has been appended.
    case upToDate
    /// The log is finished: there will be no more events.
    case finished
    /// The log no longer has, or does not yet have, an event at the position.
    case outside
  }

  package typealias MakeEvent = @Sendable (UInt64, UInt64) -> ServerSentEvent

  private struct Entry {
    let payload: UInt64
    let makeEvent: MakeEvent
  }

  private struct State {
    /// A ring of the events in the window, once it is full; an event never changes.
    var entries: [Entry] = []
    /// The position of the next event.
    var head: UInt64
    var isFinished = false
  }

  /// The maximum number of entries that are copied while the log is locked: threads that read run at
  /// a lower priority than the requests that append, and one that is interrupted blocks all of them.
  private static let maximumCopyCount = 32

  private let capacity: Int
  /// The position of the first event ever.
  private let first: UInt64
  private let state: Lock<State>
  private let advance = Subject<Void, Never>()
  private let drained: (@Sendable (EventLog) -> Void)?

  /// Creates an empty log that retains `capacity` events, at least 1.
  ///
  /// - Parameter drained: Called when a client has read all events, perhaps again and again, on the
  ///   thread that reads; it must not block.
  package init(capacity: Int, first: UInt64 = 1, drained: (@Sendable (EventLog) -> Void)? = nil) {
    self.drained = drained
    self.capacity = max(1, capacity)
    self.first = first
    state = Lock(State(head: first))
  }

  /// A hot signal that sends when an event has been appended or the log is finished.
  package var advances: Signal<Void, Never> { advance.signal }

  /// The position of the next event.
  package var head: UInt64 { state.withLock { $0.head } }

  /// The position of the oldest event in the log; `head` if the log is empty.
  package var oldest: UInt64 { state.withLock { oldest($0) } }

  private func oldest(_ state: borrowing State) -> UInt64 {
    state.head - UInt64(state.entries.count)
  }

  private func index(of position: UInt64) -> Int {
    Int((position - first) % UInt64(capacity))
  }

  /// Appends an event; does nothing once the log is finished.
  ///
  /// - Parameter event: Creates the event from its position when a client reads it, on the thread
  ///   that reads. It must always create the same event.
  package func append(_ event: @escaping @Sendable (UInt64) -> ServerSentEvent) {
    append(payload: 0) { _, position in event(position) }
  }

  /// Appends an event that 64 bits describe; does nothing once the log is finished.
  ///
  /// With one object per event, released thousands of events later, malloc returns memory that is
  /// in no CPU cache: this made a request that appends two events one sixth more expensive.
  ///
  /// - Parameter makeEvent: Creates the event when a client reads it, on the thread that reads. One
  ///   closure serves all payloads; it must always create the same event from the same payload.
  package func append(payload: UInt64, _ makeEvent: @escaping MakeEvent) {
    if insert(payload, makeEvent) { advance.send(()) }
  }

  /// Appends events together, so that clients are woken once.
  package func append(_ events: some Sequence<ServerSentEvent>) {
    var isAppended = false
    for event in events { isAppended = insert(0) { _, _ in event } || isAppended }
    if isAppended { advance.send(()) }
  }

  /// Inserts an event, and returns whether the log is not finished.
  private func insert(_ payload: UInt64, _ makeEvent: @escaping MakeEvent) -> Bool {
    // The replaced event may hold the last reference to an object: it is freed after the lock.
    var entry = Entry(payload: payload, makeEvent: makeEvent)
    return state.withLock { state in
      guard !state.isFinished else { return false }
      if state.entries.count < capacity {
        state.entries.append(entry)
      } else {
        swap(&state.entries[index(of: state.head)], &entry)
      }
      state.head += 1
      return true
    }
  }

  /// Finishes the log; clients read the remaining events, then the end.
  package func finish() {
    state.withLock { $0.isFinished = true }
    advance.send(())
  }

  /// Returns the complete blocks that a number of bytes has room for from a position on, and in any
  /// case the first one.
  ///
  /// - Parameter limit: The position before which the blocks end, greater than the first one.
  package func read(
    from position: UInt64, upTo limit: UInt64 = .max, atMost byteCount: Int
  ) -> Reading {
    var blocks: [UInt8] = []
    var next = position
    while true {
      let (entries, end) = entries(from: next, upTo: limit)
      for entry in entries {
        let count = blocks.count
        entry.makeEvent(entry.payload, next).write(to: &blocks)
        if count > 0, blocks.count > byteCount {
          blocks.removeSubrange(count...)
          return .blocks(blocks, next: next)
        }
        next += 1
      }
      if next == limit { return .blocks(blocks, next: next) }
      guard let end else { continue }
      if !blocks.isEmpty { return .blocks(blocks, next: next) }
      if case .upToDate = end { drained?(self) }
      return end
    }
  }

  /// Copies some of the entries from a position on; if there is none, says why.
  ///
  /// It is the only step of reading that holds the lock.
  private func entries(
    from position: UInt64, upTo limit: UInt64
  ) -> (entries: [Entry], end: Reading?) {
    var entries: [Entry] = []
    entries.reserveCapacity(Self.maximumCopyCount)
    let end = state.withLock { state -> Reading? in
      guard position >= oldest(state), position <= state.head else { return .outside }
      if position == state.head { return state.isFinished ? .finished : .upToDate }
      let count = min(min(state.head, limit) - position, UInt64(Self.maximumCopyCount))
      for position in position..<(position + count) {
        entries.append(state.entries[index(of: position)])
      }
      return nil
    }
    return (entries, end)
  }
}
