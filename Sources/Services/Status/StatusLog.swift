internal import HTTPSignals
internal import MailingList
internal import Security
internal import Signals

/// The merged status stream in one epoch: one log that all streams share.
final class StatusLog: Sendable {
  /// The epoch of this log: a position is meaningless in any other log.
  private let epoch: ServerSentEvent.Token
  private let log: EventLog
  private let makeEvent: EventLog.MakeEvent
  /// The maximum number of seconds and messages whose data is kept.
  private static let maximumRecentCount = 64

  /// Creates an empty log with its own epoch.
  convenience init(capacity: Int) {
    self.init(capacity: capacity, epoch: RandomName.make(), first: 1)
  }

  /// Creates an empty log that continues one of other services, from position `first`, 1 or more.
  init(capacity: Int, epoch: String, first: UInt64) {
    let epoch = ServerSentEvent.Token(epoch)
    self.epoch = epoch
    log = EventLog(capacity: capacity, first: first)
    // The events of a second differ only in their ids. Writing their data anew took most of the time
    // of a replay.
    let recent = Lock<[StatusPayload: JSONText]>([:])
    makeEvent = { bits, position in
      let payload = StatusPayload(rawValue: Int64(bitPattern: bits))
      let message = payload.message ?? .failed
      let data = recent.withLock { recent in
        if let data = recent[payload] { return data }
        var data = JSONText()
        data.object { message.write(at: payload.time, to: &$0) }
        if recent.count == Self.maximumRecentCount { recent.removeAll(keepingCapacity: true) }
        recent[payload] = data
        return data
      }
      return ServerSentEvent(
        id: .init(epoch: epoch, position: position), name: message.eventName, data: data)
    }
  }

  /// Appends a message without the id of its execution.
  func append(_ event: StatusEvent) { append(StatusPayload(event.message, at: event.time)) }

  /// Appends a message, with its time rounded down to the second.
  ///
  /// Milliseconds would link an event to other facts about that moment, for instance to the first
  /// characters of an execution's id. A live client sees the arrival of an event anyway, so only
  /// the replay matters: the log contains nothing finer than seconds, positions reveal only the
  /// order, and keep-alive comments are not part of the log. An execution's own stream has the
  /// milliseconds.
  func append(_ payload: StatusPayload) {
    let time = payload.time.millisecondsSince1970
    // Also of a time before 1970.
    let second = time - (time % 1000 + 1000) % 1000
    let rounded = StatusPayload(
      payload.message ?? .failed, at: Timestamp(millisecondsSince1970: second))
    log.append(payload: UInt64(bitPattern: rounded.rawValue), makeEvent)
  }

  /// Ends the log, which another one continues.
  ///
  /// The streams get a `reset` event from which their clients resume in the other log, then the
  /// end.
  func end(_ reason: SharedStatusChange.Reason, continuedBy successor: StatusLog) {
    let event = successor.resetEvent(reason.rawValue, before: successor.log.oldest)
    log.append { _ in event }
    log.finish()
  }

  /// Returns the position in a cursor of this log that the log has not reached yet; `nil` if the
  /// cursor is not ahead.
  func missingPosition(of cursor: StreamCursor) -> UInt64? {
    switch cursor {
    case .none, .earliest, .malformed: nil
    case .after(let epoch, let position):
      epoch == self.epoch && position >= log.head ? position : nil
    }
  }

  /// Creates the stream for a client, from the position after its cursor.
  ///
  /// An unusable cursor is not an error: the stream starts with a `reset` event, followed by all
  /// retained events that are granted. An error would end a browser's EventSource permanently.
  ///
  /// - Parameter grant: Limits the events that were sent before to the newest ones.
  func stream(from cursor: StreamCursor, _ grant: ReplayLimit.Grant) -> EventStream {
    switch cursor {
    case .none:
      let head = log.head
      return EventStream(
        log: log, from: head, firstID: ServerSentEvent.ID(epoch: epoch, position: head - 1))
    case .earliest: return EventStream(log: log, from: start(from: 0, grant))
    case .malformed: return reset("invalid", before: start(from: 0, grant))
    case .after(let epoch, let position):
      guard epoch == self.epoch else { return reset("epoch", before: start(from: 0, grant)) }
      let next = position + 1
      if next > log.head { return reset("invalid", before: start(from: 0, grant)) }
      let start = start(from: next, grant)
      if next < start { return reset("expired", before: start) }
      return EventStream(log: log, from: next)
    }
  }

  /// Returns the first position, from another one on, whose event is retained and granted.
  private func start(from position: UInt64, _ grant: ReplayLimit.Grant) -> UInt64 {
    let head = log.head
    let count = head - min(max(position, log.oldest), head)
    return count == 0 ? head : head - grant(count)
  }

  private func reset(_ reason: String, before start: UInt64) -> EventStream {
    EventStream(log: log, from: start, opening: resetEvent(reason, before: start))
  }

  private func resetEvent(_ reason: String, before oldest: UInt64) -> ServerSentEvent {
    // The position of the next event, or of the reset itself if the log is empty.
    let from = oldest < log.head ? oldest : oldest - 1
    return ServerSentEvent.reset(reason, before: oldest, from: from, epoch: epoch)
  }
}
