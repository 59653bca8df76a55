package import Signals

/// The most recent events of a stream, shared by all clients that read it.
///
/// The log encodes an event once, when the first client reads it; an event that no client reads is
/// never encoded. The log keeps an event until `capacity` more have been appended. A client is only
/// a position in the log, so a slow client costs nothing. When its position leaves the window, its
/// stream is closed; the client reconnects and resumes from the last id it has received.
///
/// ```swift
/// let log = EventLog(capacity: 1000)
/// log.append { position in
///   var data = JSONText()
///   data.object { $0.member("message", "Thanks") }
///   let id = ServerSentEvent.ID(epoch: .init("k3f9a2c1"), position: position)
///   return ServerSentEvent(id: id, name: .init("completed"), data: data)
/// }
/// let stream = EventStream(log: log, from: log.oldest)
/// ```
package final class EventLog: Sendable {
  /// The result of reading from a position.
  package enum Reading: Sendable {
    /// The number of bytes copied, which are complete blocks, and the position after them.
    case copied(Int, next: UInt64)
    /// A block that does not fit the buffer, and the position after it.
    case tooLong([UInt8], next: UInt64)
    /// There is no event yet; ``EventLog/advances`` sends when one has been appended.
    case upToDate
    /// The log is finished: there will be no more events.
    case finished
    /// The log no longer has, or does not yet have, an event at the position.
    case outside
  }

  private struct State {
    /// A ring of segments with all events in the window; the oldest segment may also contain events
    /// that have left it.
    var segments: [EventLogSegment] = []
    /// The position of the first event ever.
    let first: UInt64
    /// The position of the next event.
    var head: UInt64
    var isFinished = false
    /// An empty segment to reuse.
    ///
    /// Freeing one and allocating another makes malloc consolidate its lists, which costs a
    /// request more than the events themselves.
    var spare: EventLogSegment?
  }

  /// The maximum number of events that are freed together.
  private static let maximumSegmentLength = 64

  package typealias MakeEvent = @Sendable (UInt64, UInt64) -> ServerSentEvent

  private let capacity: Int
  private let segmentLength: Int
  private let state: Lock<State>
  private let advance = Subject<Void, Never>()
  /// Called when a client has read all events, on the thread that reads.
  private let drained: (@Sendable () -> Void)?

  /// Creates an empty log that retains `capacity` events, at least 1.
  ///
  /// - Parameter drained: Called when a client has read all events, perhaps again and again; it must
  ///   not block.
  package init(capacity: Int, first: UInt64 = 1, drained: (@Sendable () -> Void)? = nil) {
    self.drained = drained
    self.capacity = max(1, capacity)
    segmentLength = min(self.capacity, Self.maximumSegmentLength)
    state = Lock(State(first: first, head: first))
  }

  /// A hot signal that sends when an event has been appended or the log is finished.
  package var advances: Signal<Void, Never> { advance.signal }

  /// The position of the next event.
  package var head: UInt64 { state.withLock { $0.head } }

  /// The position of the oldest event in the log; `head` if the log is empty.
  package var oldest: UInt64 { state.withLock { oldest($0) } }

  private func oldest(_ state: borrowing State) -> UInt64 {
    max(state.first, state.head - min(state.head, UInt64(capacity)))
  }

  /// Returns the index in the ring of the segment for a position in the window.
  private func index(of position: UInt64, _ state: borrowing State) -> Int {
    // Enough segments to cover the capacity even if the window starts inside a segment.
    let ringLength = (capacity - 1) / segmentLength + 2
    return Int(position - state.first) / segmentLength % ringLength
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
    if insert(payload: payload, makeEvent) { advance.send(()) }
  }

  /// Appends events together, so that clients are woken once.
  package func append(_ events: some Sequence<ServerSentEvent>) {
    var isAppended = false
    for event in events { isAppended = insert(payload: 0) { _, _ in event } || isAppended }
    if isAppended { advance.send(()) }
  }

  /// Inserts an event, and returns whether the log is not finished.
  private func insert(payload: UInt64, _ makeEvent: @escaping MakeEvent) -> Bool {
    // The segment that leaves the ring is emptied after the lock is released.
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
    return isAppended
  }

  /// Keeps a segment that has left the log for reuse, unless a client is still reading it.
  private func recycle(_ segment: inout EventLogSegment) {
    guard isKnownUniquelyReferenced(&segment) else { return }
    segment.removeAll()
    let empty = segment
    state.withLock { $0.spare = empty }
  }

  /// Finishes the log; clients read the remaining events, then the end.
  package func finish() {
    state.withLock { $0.isFinished = true }
    advance.send(())
  }

  /// Copies complete blocks, starting at a position.
  package func read(from position: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    var next = position
    var copied = 0
    while true {
      switch find(next) {
      case .segment(let segment, let end):
        while next < end {
          let block = segment.block(at: next)
          guard copied + block.count <= buffer.count else {
            return copied > 0 ? .copied(copied, next: next) : .tooLong(block, next: next + 1)
          }
          UnsafeMutableRawBufferPointer(rebasing: buffer[copied...]).copyBytes(from: block)
          copied += block.count
          next += 1
        }
      case .nothing(let reading):
        if copied > 0 { return .copied(copied, next: next) }
        if case .upToDate = reading { drained?() }
        return reading
      }
    }
  }

  private enum Found {
    /// The segment that contains the position, and the position after its last event.
    case segment(EventLogSegment, end: UInt64)
    /// There is no event at the position.
    case nothing(Reading)
  }

  /// Finds the segment for a position; the only step of reading that holds the lock.
  private func find(_ position: UInt64) -> Found {
    state.withLock { state in
      guard position >= oldest(state), position <= state.head else { return .nothing(.outside) }
      if position == state.head { return .nothing(state.isFinished ? .finished : .upToDate) }
      let segment = state.segments[index(of: position, state)]
      return .segment(segment, end: min(segment.end, state.head))
    }
  }
}
