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
    /// So many bytes were copied: whole blocks, and the position after them.
    case copied(Int, next: UInt64)
    /// Nothing yet; ``EventLog/advances`` tells.
    case upToDate
    /// Nothing ever; the log is finished.
    case finished
    /// The position is no longer, or not yet, in the log.
    case outside
  }

  private struct State {
    /// The segments of all events that are kept, as a ring; the oldest may hold some that are not.
    var segments: [EventLogSegment] = []
    /// The position of the first event ever.
    let first: UInt64
    /// The position of the next event.
    var head: UInt64
    var isFinished = false
    /// An empty segment for later: to free one and allocate another makes malloc tidy up its lists,
    /// which costs a sign-up more than the events themselves.
    var spare: EventLogSegment?
  }

  /// How many events are freed together.
  private static let maximumSegmentLength = 64

  /// Makes an event of its payload and its position.
  package typealias MakeEvent = @Sendable (UInt64, UInt64) -> ServerSentEvent

  private let capacity: Int
  private let segmentLength: Int
  private let state: Lock<State>
  private let advance = Subject<Void, Never>()

  /// Makes an empty log.
  ///
  /// - Parameters:
  ///   - capacity: How many events are kept, 1 or more.
  ///   - first: The position of the first event.
  package init(capacity: Int, first: UInt64 = 1) {
    self.capacity = max(1, capacity)
    segmentLength = min(self.capacity, Self.maximumSegmentLength)
    state = Lock(State(first: first, head: first))
  }

  /// Tells that there is more to read, or that the log is finished; hot.
  package var advances: Signal<Void, Never> { advance.signal }

  /// The position of the next event.
  package var head: UInt64 { state.withLock { $0.head } }

  /// The position of the oldest event that is kept; the head when there is none.
  package var oldest: UInt64 { state.withLock { oldest($0) } }

  private func oldest(_ state: borrowing State) -> UInt64 {
    max(state.first, state.head - min(state.head, UInt64(capacity)))
  }

  /// Where the segment of a position is, if it is kept.
  private func index(of position: UInt64, _ state: borrowing State) -> Int {
    // As many as cover the capacity, however it lies across them.
    let ringLength = (capacity - 1) / segmentLength + 2
    return Int(position - state.first) / segmentLength % ringLength
  }

  /// Adds an event; ignored once the log is finished.
  ///
  /// - Parameter event: Makes the event of its position, when somebody reads it: on the thread of
  ///   the reader, and always the same.
  package func append(_ event: @escaping @Sendable (UInt64) -> ServerSentEvent) {
    append(payload: 0) { _, position in event(position) }
  }

  /// Adds an event of which 64 bits say everything; ignored once the log is finished.
  ///
  /// An object for each event, let go of thousands of events later, leaves the memory that is handed
  /// out next out of every cache: it made a sign-up a sixth dearer.
  ///
  /// - Parameters:
  ///   - payload: What is said of the event.
  ///   - makeEvent: Makes the event, when somebody reads it: one closure for all payloads. Called on the
  ///     thread of the reader; it always makes the same of a payload.
  package func append(payload: UInt64, _ makeEvent: @escaping MakeEvent) {
    // The segment that falls out is emptied after the lock is released.
    let (isAppended, outdated) = state.withLock { state -> (Bool, EventLogSegment?) in
      guard !state.isFinished else { return (false, nil) }
      var replaced: EventLogSegment?
      let index = index(of: state.head, state)
      if Int(state.head - state.first) % segmentLength == 0 {
        let segment = state.spare.take() ?? EventLogSegment(capacity: segmentLength)
        segment.first = state.head
        if index < state.segments.count {
          replaced = state.segments[index]
          state.segments[index] = segment
        } else {
          state.segments.append(segment)
        }
      }
      state.segments[index].append(payload: payload, makeEvent)
      state.head += 1
      return (true, replaced)
    }
    if var outdated { recycle(&outdated) }
    if isAppended { advance.send(()) }
  }

  /// Keeps a segment that has fallen out of the log for later, unless somebody still reads it.
  private func recycle(_ segment: inout EventLogSegment) {
    guard isKnownUniquelyReferenced(&segment) else { return }
    segment.removeAll()
    let empty = segment
    state.withLock { $0.spare = empty }
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
    var next = position
    var copied = 0
    while true {
      switch find(next) {
      case .segment(let segment, let end):
        while next < end {
          let block = segment.block(at: next)
          guard copied + block.count <= buffer.count else {
            return copied > 0 ? .copied(copied, next: next) : .outside
          }
          UnsafeMutableRawBufferPointer(rebasing: buffer[copied...]).copyBytes(from: block)
          copied += block.count
          next += 1
        }
      case .nothing(let reading):
        return copied > 0 ? .copied(copied, next: next) : reading
      }
    }
  }

  private enum Found {
    /// The segment of a position, and the position after its last event.
    case segment(EventLogSegment, end: UInt64)
    /// There is no event at the position.
    case nothing(Reading)
  }

  /// Finds what is at a position; the lock is held for this only.
  private func find(_ position: UInt64) -> Found {
    state.withLock { state in
      guard position >= oldest(state), position <= state.head else { return .nothing(.outside) }
      if position == state.head { return .nothing(state.isFinished ? .finished : .upToDate) }
      let segment = state.segments[index(of: position, state)]
      return .segment(segment, end: min(segment.end, state.head))
    }
  }
}
