/// A binary heap of work, ordered by deadline and, for equal deadlines, by insertion.
struct DeadlineQueue<Work> {
  private typealias Entry = (deadline: UInt64, number: UInt64, work: Work)

  private var entries: [Entry] = []
  private var lastNumber: UInt64 = 0

  var count: Int { entries.count }

  /// The deadline of the work that is due first.
  var firstDeadline: UInt64? { entries.first?.deadline }

  mutating func add(_ work: Work, deadline: UInt64) {
    lastNumber += 1
    entries.append((deadline, lastNumber, work))
    var child = entries.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes and returns the work that is due first.
  mutating func popFirst() -> Work? {
    guard !entries.isEmpty else { return nil }
    entries.swapAt(0, entries.count - 1)
    let first = entries.removeLast()
    // After a burst, its memory is released.
    if entries.isEmpty, entries.capacity > 64 { entries = [] }
    sink(0)
    return first.work
  }

  /// Removes work, in time that grows with the number of entries.
  mutating func removeAll(where isRemoved: (Work) -> Bool) {
    // A new array: the memory of a burst is released.
    entries = entries.filter { !isRemoved($0.work) }
    for index in (0..<entries.count / 2).reversed() { sink(index) }
  }

  /// Moves an entry down to its place.
  private mutating func sink(_ index: Int) {
    var parent = index
    while true {
      var next = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if precedes(child, next) { next = child }
      }
      if next == parent { return }
      entries.swapAt(parent, next)
      parent = next
    }
  }

  private func precedes(_ index: Int, _ other: Int) -> Bool {
    let (entry, other) = (entries[index], entries[other])
    return entry.deadline == other.deadline
      ? entry.number < other.number : entry.deadline < other.deadline
  }
}

extension DeadlineQueue: Sendable where Work: Sendable {}
