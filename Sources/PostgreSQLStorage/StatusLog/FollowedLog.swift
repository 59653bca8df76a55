internal import MailingList

/// A row of the log: the messages of one batch.
struct LogRow: Hashable, Sendable {
  /// The position of the last message.
  let last: Int64
  /// The messages.
  let payloads: [Int64]

  /// The position of the first message.
  var first: Int64 { last - Int64(payloads.count) + 1 }
}

/// The part of the log that a follower has read.
struct FollowedLog: Hashable, Sendable {
  /// The result of reading the log again.
  enum Finding: Hashable, Sendable {
    /// The log continues what was seen.
    case continues
    /// The server has lost messages that were seen.
    case lost
    /// The messages after those that were seen were deleted meanwhile.
    case truncated
  }

  /// The epoch; `nil` before the beginning.
  private(set) var epoch: String?
  /// The position of the last message that was seen.
  private(set) var position: Int64 = 0
  /// The last row that was seen, or that preceded what was seen.
  private(set) var lastRow: LogRow?
  /// The epochs before this one.
  private var pastEpochs: Set<String> = []
  /// The reason to begin again with the next row, if that is to be done.
  private var pending: Pending?

  private struct Pending: Hashable, Sendable {
    let reason: SharedStatusChange.Reason?
  }

  /// Returns what a follower finds after it was away.
  ///
  /// - Parameter oldest: The oldest row of the log; `nil` if it is empty.
  func finding(_ rows: [LogRow], oldest: LogRow?) -> Finding {
    guard let lastRow else { return .continues }
    if rows.first == lastRow { return .continues }
    guard let oldest, oldest.first > lastRow.last else { return .lost }
    return .truncated
  }

  /// Returns whether an epoch can only be that of a log that was restored.
  ///
  /// - Returns: Whether this follower was in the epoch before its own.
  func isPast(_ epoch: String) -> Bool { pastEpochs.contains(epoch) }

  /// The epochs that this follower has been in.
  var knownEpochs: [String] { pastEpochs.sorted() + (epoch.map { [$0] } ?? []) }

  /// Begins at a position, whatever was seen before.
  ///
  /// - Parameters:
  ///   - newest: The newest row of the log; `nil` if it is empty.
  ///   - oldest: The oldest row of the log; `nil` if it is empty.
  ///   - history: The number of the newest messages that are read; 0 for none.
  ///   - reason: Why it begins again; `nil` at the first time.
  /// - Returns: The change, or `nil` if the first row that is read begins.
  mutating func begin(
    epoch: String,
    newest: LogRow?,
    oldest: LogRow?,
    history: Int64,
    reason: SharedStatusChange.Reason?
  ) -> SharedStatusChange? {
    enter(epoch)
    let head = newest?.last ?? 0
    position = max(head - history, (oldest?.first ?? 1) - 1, 0)
    lastRow = newest
    if position < head {
      pending = Pending(reason: reason)
      return nil
    }
    pending = nil
    return .began(epoch: epoch, next: UInt64(clamping: head + 1), reason: reason)
  }

  /// Continues at the same position in another epoch, which another follower has added.
  mutating func change(to epoch: String) -> SharedStatusChange {
    enter(epoch)
    pending = nil
    return .began(epoch: epoch, next: UInt64(clamping: position + 1), reason: .epoch)
  }

  private mutating func enter(_ epoch: String) {
    guard let old = self.epoch, old != epoch else { return self.epoch = epoch }
    pastEpochs.insert(old)
    pastEpochs.remove(epoch)
    self.epoch = epoch
  }

  /// Accepts the rows after ``position``.
  ///
  /// - Returns: The changes; `nil` if the rows cannot follow what was seen, so that the server has
  ///   lost messages.
  mutating func accept(_ rows: [LogRow]) -> [SharedStatusChange]? {
    var changes: [SharedStatusChange] = []
    var payloads: [StatusPayload] = []
    for row in rows {
      guard let epoch, !row.payloads.isEmpty else { return nil }
      if let begin = pending ?? (row.first > position + 1 ? Pending(reason: .expired) : nil) {
        if !payloads.isEmpty { changes.append(.messages(payloads)) }
        payloads = []
        changes.append(
          .began(epoch: epoch, next: UInt64(clamping: row.first), reason: begin.reason)
        )
        pending = nil
      } else if row.first != position + 1 {
        return nil
      }
      payloads += row.payloads.map(StatusPayload.init)
      position = row.last
      lastRow = row
    }
    if !payloads.isEmpty { changes.append(.messages(payloads)) }
    return changes
  }
}
