internal import HTTPSignals
internal import MailingList

/// The point at which a client resumes the stream of one execution.
///
/// The messages are numbered: 1 is `started`, 2 is the end, 3 is `confirmed`, for which a client
/// may wait after `completed`.
struct ResumePoint {
  /// The start of a client's stream.
  enum Start {
    /// The stream starts at a message; a `reset` event precedes it if the cursor was unusable.
    case from(Int, reset: ServerSentEvent?)
    /// The client has already seen the end.
    case over
  }

  private let id: ExecutionID
  private let lastSequence: Int
  /// The position of the last message that the stream can have.
  private let finalSequence: Int

  init(of id: ExecutionID, history: [StatusEvent], isConfirmationAwaited: Bool) {
    self.id = id
    lastSequence = history.last?.message.sequence ?? 0
    finalSequence =
      isConfirmationAwaited && history.last?.message != .failed
      ? StatusMessage.confirmedSequence : StatusMessage.completed.sequence
  }

  /// Returns the start of the stream for a client with a cursor.
  func start(at cursor: StreamCursor) -> Start {
    switch cursor {
    case .none, .earliest: return .from(1, reset: nil)
    case .malformed: return .from(1, reset: reset("invalid"))
    case .after(let epoch, let position):
      guard epoch == id.epoch else { return .from(1, reset: reset("epoch")) }
      let hasEnded = lastSequence == StatusMessage.completed.sequence
      if hasEnded, position >= UInt64(finalSequence) { return .over }
      guard position <= UInt64(lastSequence) else { return .from(1, reset: reset("invalid")) }
      return .from(Int(position) + 1, reset: nil)
    }
  }

  private func reset(_ reason: String) -> ServerSentEvent? {
    .reset(reason, before: 1, from: 1, epoch: id.epoch)
  }
}
