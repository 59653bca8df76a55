internal import Synchronization

/// Events of a log that follow each other: as many as are freed together.
///
/// The log's lock guards which events there are. What is there never changes, so a reader takes a
/// reference under the lock and encodes and copies without it: readers run at a lower priority than
/// the sign-ups that append, and one that is interrupted with the lock held would stop them all.
// @unchecked Sendable because an event is written under the log's lock before its position is given
// to a reader, and only read from then on; its block is set atomically.
final class EventLogSegment: @unchecked Sendable {
  /// What is kept of an event.
  private struct Entry: ~Copyable {
    let payload: UInt64
    let makeEvent: EventLog.MakeEvent
    /// The encoded event, once somebody has read it.
    let block = AtomicLazyReference<EncodedBlock>()
  }

  /// The position of the first event; set before the log holds the segment.
  var first: UInt64 = 0

  private let capacity: Int
  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0

  /// Makes a segment without events.
  ///
  /// - Parameter capacity: How many there is room for.
  init(capacity: Int) {
    self.capacity = capacity
    entries = .allocate(capacity: capacity)
  }

  deinit {
    removeAll()
    entries.deallocate()
  }

  /// Removes the events, when neither the log nor a reader has the segment.
  func removeAll() {
    entries.deinitialize(count: count)
    count = 0
  }

  /// The position after the last event that there is room for.
  var end: UInt64 { first + UInt64(capacity) }

  /// Adds an event; under the log's lock, while there is room.
  func append(payload: UInt64, _ makeEvent: @escaping EventLog.MakeEvent) {
    (entries + count).initialize(to: Entry(payload: payload, makeEvent: makeEvent))
    count += 1
  }

  /// The block of an event, encoded when it is read first; without the log's lock.
  ///
  /// Two that read it at the same time may both encode it; one of the blocks is kept.
  ///
  /// - Parameter position: A position that the log has given out, in this segment.
  /// - Returns: The encoded event.
  func block(at position: UInt64) -> [UInt8] {
    let entry = entries + Int(position - first)
    if let block = entry.pointee.block.load() { return block.bytes }
    let bytes = entry.pointee.makeEvent(entry.pointee.payload, position).block
    return entry.pointee.block.storeIfNil(EncodedBlock(bytes)).bytes
  }
}

/// A block, as an object.
private final class EncodedBlock: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}
