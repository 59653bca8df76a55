internal import Synchronization

/// Consecutive events of a log, which are freed together.
///
/// The log's lock guards the number of events. An event never changes once it is appended, so a
/// reading thread takes a reference under the lock, then encodes and copies without it. Reading
/// threads run at a lower priority than the requests that append; one interrupted while it held the
/// lock would block all of them.
// @unchecked Sendable because an event is written under the log's lock before a reading thread gets
// its position, and is only read after that; its block is set atomically.
final class EventLogSegment: @unchecked Sendable {
  /// An event, encoded when it is first read.
  private struct Entry: ~Copyable {
    let payload: UInt64
    let makeEvent: EventLog.MakeEvent
    /// The encoded event, which the entry owns; `nil` until a client first reads it.
    // Not an `AtomicLazyReference`, whose functions are not inlined: ThreadSanitizer does not see
    // them.
    let block = Atomic<Unmanaged<EncodedBlock>?>(nil)

    init(payload: UInt64, makeEvent: @escaping EventLog.MakeEvent) {
      self.payload = payload
      self.makeEvent = makeEvent
    }

    deinit {
      block.load(ordering: .acquiring)?.release()
    }
  }

  /// The position of the first event; set before the log holds the segment.
  var first: UInt64 = 0

  private let capacity: Int
  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    entries = .allocate(capacity: capacity)
  }

  deinit {
    removeAll()
    entries.deallocate()
  }

  /// Removes all events; neither the log nor a reading thread may still use the segment.
  func removeAll() {
    entries.deinitialize(count: count)
    count = 0
  }

  /// The position after the last event that fits.
  var end: UInt64 { first + UInt64(capacity) }

  /// Appends an event; call under the log's lock, and only while the segment has room.
  func append(payload: UInt64, _ makeEvent: @escaping EventLog.MakeEvent) {
    (entries + count).initialize(to: Entry(payload: payload, makeEvent: makeEvent))
    count += 1
  }

  /// Returns the block of an event, which the first read encodes; call without the log's lock.
  ///
  /// Two threads that read the event at the same time may both encode it; one block is stored.
  func block(at position: UInt64) -> [UInt8] {
    let entry = entries + Int(position - first)
    if let block = entry.pointee.block.load(ordering: .acquiring) {
      return block.takeUnretainedValue().bytes
    }
    let bytes = entry.pointee.makeEvent(entry.pointee.payload, position).block
    let block = Unmanaged.passRetained(EncodedBlock(bytes))
    let (isStored, earlier) = entry.pointee.block.compareExchange(
      expected: nil, desired: block, ordering: .acquiringAndReleasing)
    if isStored { return bytes }
    block.release()
    return earlier?.takeUnretainedValue().bytes ?? bytes
  }
}

/// A class around a block, because an atomic reference needs an object.
private final class EncodedBlock: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}
