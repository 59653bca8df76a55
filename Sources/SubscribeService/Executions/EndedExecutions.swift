internal import MailingList

/// The most recently ended executions, in the order of their ends.
///
/// Clients almost never request an ended execution, so the time in its id is the only index: each
/// part knows the span of its ids, and a search reads only the one or two parts that can contain an
/// id. Growing moves no entry: a hash table of this size stopped the event loop for milliseconds
/// whenever it grew, and cost each sign-up a microsecond.
struct EndedExecutions {
  struct Entry {
    let id: ExecutionID
    let startedAt: Timestamp
    let end: StatusMessage
    let endedAt: Timestamp
  }

  private struct Part {
    var entries: [Entry] = []
    /// The times at which the ids of the part were created.
    var span: ClosedRange<Timestamp>

    init(_ entry: Entry, capacity: Int) {
      span = entry.id.madeAt...entry.id.madeAt
      entries.reserveCapacity(capacity)
      entries.append(entry)
    }

    mutating func append(_ entry: Entry) {
      entries.append(entry)
      let time = entry.id.madeAt
      // Ids arrive nearly in the order of their times, but a clock can be set back.
      if time > span.upperBound { span = span.lowerBound...time }
      if time < span.lowerBound { span = time...span.upperBound }
    }
  }

  private static let partCapacity = 1024

  private var parts: [Part] = []
  /// The number of forgotten entries of the first part.
  private var forgottenCount = 0
  /// The number of remembered executions.
  private(set) var count = 0

  /// The remembered execution that ended first.
  private var first: Entry? { parts.first.map { $0.entries[forgottenCount] } }

  mutating func append(_ entry: Entry) {
    count += 1
    if let last = parts.indices.last, parts[last].entries.count < Self.partCapacity {
      parts[last].append(entry)
    } else {
      parts.append(Part(entry, capacity: Self.partCapacity))
    }
  }

  /// Forgets executions that ended before a time, and the oldest ones beyond the maximum count.
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

  /// Finds an execution by its id; `nil` if it is unknown or forgotten.
  func find(_ id: ExecutionID) -> Entry? {
    for (index, part) in parts.enumerated() where part.span.contains(id.madeAt) {
      let remembered = part.entries.dropFirst(index == 0 ? forgottenCount : 0)
      if let entry = remembered.first(where: { $0.id == id }) { return entry }
    }
    return nil
  }
}
