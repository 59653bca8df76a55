internal import MailingList

/// A row of the log, with the messages of one batch.
struct LogRow: Hashable, Sendable {
  /// The position of the last message.
  let last: Int64
  let payloads: [Int64]

  /// The position of the first message.
  var first: Int64 { last - Int64(payloads.count) + 1 }
}

/// The part of the log that a follower has read.
struct FollowedLog: Hashable, Sendable {
  /// The relation of the log to the part that was read before.
  enum Finding: Hashable, Sendable {
    /// The log continues with the next messages.
    case continues
    /// The server has lost messages that were read.
    case lost
    /// The messages after those that were read have been deleted.
    case truncated
  }

  /// The epoch; `nil` before the first one.
  private(set) var epoch: String?
  /// The position of the last message that was read.
  private(set) var position: Int64 = 0
  /// The last row that was read; after a beginning, the newest row of the log.
  private(set) var lastRow: LogRow?
  /// The previous epochs of this follower.
  private var pastEpochs: Set<String> = []
  /// The beginning that is due with the next row; `nil` if none is due.
  private var pending: Pending?

  private struct Pending: Hashable, Sendable {
    let reason: SharedStatusChange.Reason?
  }

  /// Returns the relation of the log to the part that was read before an interruption.
  ///
  /// - Parameters:
  ///   - rows: The rows that begin with the last one that was read, if the log still contains it.
  ///   - oldest: The oldest row of the log; `nil` if it is empty.
  func finding(_ rows: [LogRow], oldest: LogRow?) -> Finding {
    guard let lastRow else { return .continues }
    if rows.first == lastRow { return .continues }
    guard let oldest, oldest.first > lastRow.last else { return .lost }
    return .truncated
  }

  /// Returns whether an epoch is a previous one of this follower, which only a restored log can
  /// have.
  func isPast(_ epoch: String) -> Bool { pastEpochs.contains(epoch) }

  /// The current epoch and the previous ones.
  var knownEpochs: [String] { pastEpochs.sorted() + (epoch.map { [$0] } ?? []) }

  /// Begins at a position, regardless of earlier messages.
  ///
  /// Returns the change, or `nil` if it follows with the first row.
  ///
  /// - Parameters:
  ///   - newest: The newest row of the log; `nil` if it is empty.
  ///   - oldest: The oldest row of the log; `nil` if it is empty.
  ///   - history: The number of the newest messages to read; 0 for none.
  ///   - reason: The reason for beginning again; `nil` the first time.
  mutating func begin(
    epoch: String, newest: LogRow?, oldest: LogRow?, history: Int64,
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

  /// Continues at the same position in an epoch that another follower has added.
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

  /// Accepts the rows after ``position``; returns their changes.
  ///
  /// The result is `nil` if the rows cannot follow the earlier ones, because the server has lost
  /// messages.
  mutating func accept(_ rows: [LogRow]) -> [SharedStatusChange]? {
    var changes: [SharedStatusChange] = []
    var payloads: [StatusPayload] = []
    for row in rows {
      guard let epoch, !row.payloads.isEmpty else { return nil }
      if let begin = pending ?? (row.first > position + 1 ? Pending(reason: .expired) : nil) {
        if !payloads.isEmpty { changes.append(.messages(payloads)) }
        payloads = []
        changes.append(
          .began(epoch: epoch, next: UInt64(clamping: row.first), reason: begin.reason))
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
