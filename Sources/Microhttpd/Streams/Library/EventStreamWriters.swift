internal import HTTPSignals

/// The streams of one event loop that libmicrohttpd writes.
///
/// Those that read the same log follow it together: one subscription, and one hop to the loop for
/// each advance. They are woken in parts, because libmicrohttpd writes to all that it resumes before
/// it looks at a request again.
// @unchecked Sendable because all of it is used on the loop's thread only.
final class EventStreamWriters: @unchecked Sendable {
  /// How many streams are woken before requests get their turn.
  private static let wakesPerPart = 16

  private let loop: EventLoop
  private var slots: ContiguousArray<EventStreamWriter?> = []
  private var freeSlots: [Int32] = []
  private var groups: [ObjectIdentifier: StreamGroup] = [:]
  /// Groups with streams that are to be woken.
  private var waiting: [StreamGroup] = []
  private var willWake = false

  /// Makes a table of nothing.
  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Takes a stream in, and wakes it whenever its log advances.
  func add(_ writer: EventStreamWriter) {
    let slot = freeSlots.popLast() ?? Int32(slots.count)
    if slot == slots.count { slots.append(nil) }
    slots[Int(slot)] = writer
    writer.slot = slot
    writer.place = group(for: writer.log).add(slot)
  }

  private func group(for log: EventLog) -> StreamGroup {
    let id = ObjectIdentifier(log)
    if let group = groups[id] { return group }
    let group = StreamGroup(log: log)
    groups[id] = group
    group.follow(on: loop) { [weak self] in self?.enqueue($0) }
    return group
  }

  /// Lets a stream go.
  func remove(_ writer: EventStreamWriter) {
    slots[Int(writer.slot)] = nil
    freeSlots.append(writer.slot)
    let id = ObjectIdentifier(writer.log)
    guard let group = groups[id] else { return }
    if let moved = group.remove(at: writer.place) { slots[Int(moved)]?.place = writer.place }
    guard group.members.isEmpty else { return }
    group.leaveLog()
    groups[id] = nil
  }

  /// Whether there is none.
  var isEmpty: Bool { slots.count == freeSlots.count }

  /// Calls a body with each stream; it may remove that stream.
  func forEach(_ body: (EventStreamWriter) -> Void) {
    for slot in slots.indices { slots[slot].map(body) }
  }

  // MARK: Waking

  private func enqueue(_ group: StreamGroup) {
    if !waiting.contains(where: { $0 === group }) { waiting.insert(group, at: 0) }
    wakePart()
  }

  /// Wakes some; what else the loop has to do gets its turn before the next.
  private func wakePart() {
    guard !willWake else { return }
    var rest = Self.wakesPerPart
    while rest > 0, let group = waiting.last {
      guard let slot = group.takeUnvisited() else {
        waiting.removeLast()
        continue
      }
      slots[Int(slot)]?.wake()
      rest -= 1
    }
    guard !waiting.isEmpty else { return }
    willWake = true
    loop.run { [weak self] in
      self?.willWake = false
      self?.wakePart()
    }
  }
}
