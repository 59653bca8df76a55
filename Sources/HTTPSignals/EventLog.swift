internal import Locks
package import Signals

/// The last events of a stream, shared by all who read it.
///
/// An event is encoded when it is read first, once, and kept for at most `capacity` events more: what
/// nobody reads is never encoded. A reader is a position in the log, so a slow one costs nothing;
/// when it has fallen out of the window it is cut, and healed by resuming from the id that it saw
/// last.
package final class EventLog: Sendable {
  /// What a reader finds at its position.
  package enum Reading: Sendable {
    /// So many octets were copied: whole blocks, and the position after them.
    case copied(Int, next: UInt64)
    /// Nothing yet; ``EventLog/advances`` tells.
    case upToDate
    /// Nothing ever; the log is finished.
    case finished
    /// The position is no longer, or not yet, in the log.
    case outside
  }

  /// What is kept of an event.
  private enum Entry {
    /// Nobody has read it.
    case event(note: UInt64, MakeEvent)
    case block([UInt8])
  }

  private struct State {
    var entries: [Entry] = []
    /// Where the oldest entry is, once the array is full and used as a ring.
    var oldestIndex = 0
    /// The position of the next event.
    var head: UInt64
    var isFinished = false

    /// The position of the oldest event.
    var oldest: UInt64 { head - UInt64(entries.count) }

    mutating func append(_ entry: Entry, capacity: Int) {
      if entries.count < capacity {
        entries.append(entry)
      } else {
        entries[oldestIndex] = entry
        oldestIndex = (oldestIndex + 1) % capacity
      }
      head += 1
    }

    /// The block of an event that is in the log.
    mutating func block(at position: UInt64) -> [UInt8] {
      let index = (oldestIndex + Int(position - oldest)) % entries.count
      switch entries[index] {
      case .block(let block): return block
      case .event(let note, let makeEvent):
        let block = makeEvent(note, position).block
        entries[index] = .block(block)
        return block
      }
    }
  }

  /// Makes an event of its note and its position.
  package typealias MakeEvent = @Sendable (UInt64, UInt64) -> ServerSentEvent

  private let capacity: Int
  private let state: Lock<State>
  private let advance = Subject<Void, Never>()

  /// Makes an empty log.
  ///
  /// - Parameters:
  ///   - capacity: How many events are kept, 1 or more.
  ///   - first: The position of the first event.
  package init(capacity: Int, first: UInt64 = 1) {
    self.capacity = max(1, capacity)
    state = Lock(State(head: first))
  }

  /// Tells that there is more to read, or that the log is finished; hot.
  package var advances: Signal<Void, Never> { advance.signal }

  /// The position of the next event.
  package var head: UInt64 { state.withLock { $0.head } }

  /// The position of the oldest event that is kept; the head when there is none.
  package var oldest: UInt64 { state.withLock { $0.oldest } }

  /// Adds an event; ignored once the log is finished.
  ///
  /// - Parameter event: Makes the event of its position, when somebody reads it. Called under the
  ///   log's lock, on the thread of the reader: no code of others.
  package func append(_ event: @escaping @Sendable (UInt64) -> ServerSentEvent) {
    append(note: 0) { _, position in event(position) }
  }

  /// Adds an event of which 64 bits say everything; ignored once the log is finished.
  ///
  /// An object for each event, let go of thousands of events later, leaves the memory that is handed
  /// out next out of every cache: it made a sign-up a sixth dearer.
  ///
  /// - Parameters:
  ///   - note: What is said of the event.
  ///   - makeEvent: Makes the event, when somebody reads it: one closure for all notes. Called under
  ///     the log's lock, on the thread of the reader: no code of others.
  package func append(note: UInt64, _ makeEvent: @escaping MakeEvent) {
    let isAppended = state.withLock { state in
      guard !state.isFinished else { return false }
      state.append(.event(note: note, makeEvent), capacity: capacity)
      return true
    }
    if isAppended { advance.send(()) }
  }

  /// Ends the log; readers get what is in it, then its end.
  package func finish() {
    state.withLock { $0.isFinished = true }
    advance.send(())
  }

  /// Copies whole blocks from a position on.
  ///
  /// - Parameters:
  ///   - position: The position of the first event wanted.
  ///   - buffer: Where to; as many blocks are copied as fit.
  /// - Returns: What was found. A block that does not fit an empty buffer is `outside`.
  package func read(from position: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    state.withLock { state in
      guard position >= state.oldest, position <= state.head else { return .outside }
      if position == state.head { return state.isFinished ? .finished : .upToDate }
      var next = position
      var copied = 0
      while next < state.head {
        let block = state.block(at: next)
        guard copied + block.count <= buffer.count else { break }
        UnsafeMutableRawBufferPointer(rebasing: buffer[copied...]).copyBytes(from: block)
        copied += block.count
        next += 1
      }
      return copied > 0 ? .copied(copied, next: next) : .outside
    }
  }
}
