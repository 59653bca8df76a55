internal import HTTPSignals
internal import MailingList

/// The merged status stream: one log that all streams share.
final class StatusLog: Sendable {
  /// The epoch of this log: a position is meaningless in any other log.
  private let epoch: ServerSentEvent.Token
  private let log: EventLog
  private let makeEvent: EventLog.MakeEvent

  /// Creates an empty log.
  ///
  /// - Parameter capacity: The number of events that are kept for clients that resume.
  init(capacity: Int) {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    let epoch = ServerSentEvent.Token(
      String((0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
    )
    self.epoch = epoch
    log = EventLog(capacity: capacity)
    makeEvent = { payload, position in
      let (message, time) = Self.read(payload)
      var data = JSONText()
      data.object { message.write(at: time, to: &$0) }
      return ServerSentEvent(
        id: .init(epoch: epoch, position: position),
        name: message.eventName,
        data: data
      )
    }
  }

  /// Appends a message without the id of its execution.
  func append(_ event: StatusEvent) {
    log.append(payload: Self.payload(of: event), makeEvent)
  }

  /// Packs the time, rounded down to the second, and the message in the last two bits.
  ///
  /// Milliseconds would link an event to other facts about that moment, for instance to the first
  /// characters of an execution's id. A live client sees when an event arrives anyway, so the replay
  /// is what matters: nothing finer than the second is kept, positions reveal only the order, and
  /// keep-alive comments are not part of the log. An execution's own stream has the milliseconds.
  private static func payload(of event: StatusEvent) -> UInt64 {
    let message: UInt64 =
      switch event.message {
      case .started: 0
      case .completed: 1
      case .failed: 2
      }
    return UInt64(bitPattern: event.time.wholeSecond) << 2 | message
  }

  private static func read(_ payload: UInt64) -> (StatusMessage, Timestamp) {
    let time = Timestamp(millisecondsSince1970: Int64(bitPattern: payload) >> 2)
    switch payload & 3 {
    case 0: return (.started, time)
    case 1: return (.completed, time)
    default: return (.failed, time)
    }
  }

  /// Makes the stream for a client, from the position after its cursor.
  ///
  /// An unusable cursor is not an error: the stream starts with a `reset` event, followed by all
  /// events that are kept. An error would end a browser's EventSource permanently.
  func stream(from cursor: StreamCursor) -> EventStream {
    switch cursor {
    case .none: return EventStream(log: log, from: log.head)
    case .earliest: return EventStream(log: log, from: log.oldest)
    case .malformed: return reset("invalid")
    case .after(let epoch, let position):
      guard epoch == self.epoch else { return reset("epoch") }
      let next = position + 1
      if next > log.head { return reset("invalid") }
      if next < log.oldest { return reset("expired") }
      return EventStream(log: log, from: next)
    }
  }

  private func reset(_ reason: String) -> EventStream {
    let oldest = log.oldest
    // The position of the next event, or of the reset itself if the log is empty.
    let from = oldest < log.head ? oldest : oldest - 1
    let event = ServerSentEvent.reset(reason, before: oldest, from: from, epoch: epoch)
    return EventStream(log: log, from: oldest, opening: event)
  }
}

extension Timestamp {
  /// Milliseconds since 1970, rounded down to whole seconds.
  fileprivate var wholeSecond: Int64 {
    let rest = millisecondsSince1970 % 1000
    // Wraps around only for times beyond those of any real clock.
    return millisecondsSince1970 &- (rest < 0 ? rest + 1000 : rest)
  }
}
