internal import HTTPSignals
internal import MailingList

/// The stream of one execution: its messages are numbered from 1, started, to 2, the end.
struct ResumePoint {
  /// Where a client begins.
  enum Start {
    /// At a message, after an event of its own when the cursor was not usable.
    case from(Int, reset: ServerSentEvent?)
    /// It has seen the end.
    case over
  }

  private let id: ExecutionID
  private let lastSequence: Int

  init(of id: ExecutionID, history: [StatusEvent]) {
    self.id = id
    lastSequence = history.last?.message.sequence ?? 0
  }

  /// Decides where a client begins that has seen what its cursor says.
  func start(at cursor: StreamCursor) -> Start {
    switch cursor {
    case .none, .earliest: return .from(1, reset: nil)
    case .malformed: return .from(1, reset: reset("invalid"))
    case .after(let epoch, let position):
      guard epoch == id.epoch else { return .from(1, reset: reset("epoch")) }
      let hasEnded = lastSequence == StatusMessage.completed.sequence
      if hasEnded, position >= UInt64(lastSequence) { return .over }
      guard position <= UInt64(lastSequence) else { return .from(1, reset: reset("invalid")) }
      return .from(Int(position) + 1, reset: nil)
    }
  }

  private func reset(_ reason: String) -> ServerSentEvent? {
    .reset(reason, before: 1, from: 1, epoch: id.epoch)
  }
}
