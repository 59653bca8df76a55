internal import MailingList

/// The executions that ended last, in the order in which they ended.
///
/// Almost all of them are never asked for, so nothing is kept to find one by but the time that is in
/// its id: each part knows the span of its ids, and the one or two parts that can have an id are
/// searched. Nothing is moved when there are more of them: a hash table as large stopped the event
/// loop for milliseconds whenever it grew, and cost each sign-up a microsecond.
struct EndedExecutions {
  /// One that ended.
  struct Entry {
    let id: ExecutionID
    let startedAt: Timestamp
    let end: StatusMessage
    let endedAt: Timestamp
  }

  private struct Part {
    var entries: [Entry] = []
    /// When the ids in it were made.
    var span: ClosedRange<Timestamp>

    init(_ entry: Entry, capacity: Int) {
      span = entry.id.madeAt...entry.id.madeAt
      entries.reserveCapacity(capacity)
      entries.append(entry)
    }

    mutating func append(_ entry: Entry) {
      entries.append(entry)
      let time = entry.id.madeAt
      // Ids come nearly in the order of their times, and clocks can be set back.
      if time > span.upperBound { span = span.lowerBound...time }
      if time < span.lowerBound { span = time...span.upperBound }
    }
  }

  private static let partCapacity = 1024

  private var parts: [Part] = []
  /// How many of the first part are forgotten.
  private var forgottenCount = 0
  /// How many are remembered.
  private(set) var count = 0

  /// The one that ended first.
  private var first: Entry? { parts.first.map { $0.entries[forgottenCount] } }

  /// Remembers one.
  mutating func append(_ entry: Entry) {
    count += 1
    if let last = parts.indices.last, parts[last].entries.count < Self.partCapacity {
      parts[last].append(entry)
    } else {
      parts.append(Part(entry, capacity: Self.partCapacity))
    }
  }

  /// Forgets those that ended before a time, and those that are too many.
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

  /// Finds one by its id.
  func find(_ id: ExecutionID) -> Entry? {
    for (index, part) in parts.enumerated() where part.span.contains(id.madeAt) {
      let remembered = part.entries.dropFirst(index == 0 ? forgottenCount : 0)
      if let entry = remembered.first(where: { $0.id == id }) { return entry }
    }
    return nil
  }
}
