internal import HTTPSignals
internal import MailingList

extension StatusMessage {
  /// The name of the message's event; never `error`, `open` or `message`, which EventSource
  /// dispatches itself.
  var eventName: ServerSentEvent.Token {
    switch self {
    case .started: Self.startedName
    case .completed: Self.completedName
    case .failed: Self.failedName
    }
  }

  private static let startedName = ServerSentEvent.Token("started")
  private static let completedName = ServerSentEvent.Token("completed")
  private static let failedName = ServerSentEvent.Token("failed")

  /// The position of `confirmed`, the event that may follow ``completed``.
  static let confirmedSequence = 3

  /// The position of the message in its execution, from 1.
  var sequence: Int {
    switch self {
    case .started: 1
    case .completed, .failed: 2
    }
  }
}

extension ServerSentEvent {
  /// Creates the control event that precedes events that do not continue those the client has seen.
  ///
  /// - Parameter position: The position of the next event; the id of this event has the previous
  ///   one.
  static func reset(
    _ reason: String, before position: UInt64, from: UInt64, epoch: Token
  ) -> ServerSentEvent {
    var data = JSONText()
    data.object { object in
      object.member("reason", reason)
      object.member("from", ID(epoch: epoch, position: from).description)
    }
    return ServerSentEvent(
      id: ID(epoch: epoch, position: position - 1), name: Token("reset"), data: data)
  }
}

extension StatusMessage {
  /// Writes the members that events have in every stream.
  func write(at time: Timestamp, to object: inout JSONObject) {
    object.member("message", rawValue)
    object.member("state", state)
    object.member("at", time.description)
  }
}

extension StatusEvent {
  /// The event for the execution's own stream.
  var executionBlock: ServerSentEvent {
    execution.block(message.eventName, message.sequence) { message.write(at: time, to: &$0) }
  }

  /// Creates the messages of an execution that only the store knows; its sign-up was stored.
  static func stored(_ id: ExecutionID) -> [StatusEvent] {
    [StatusMessage.started, .completed].map { message in
      StatusEvent(execution: id, message: message, time: id.madeAt)
    }
  }
}

extension ExecutionID {
  /// The epoch of the execution's own stream: the same in every process.
  var epoch: ServerSentEvent.Token { ServerSentEvent.Token(description.prefix(8)) }

  /// Creates the event that ends the execution's own stream once the owner has confirmed.
  ///
  /// This is not a status message: the execution has already ended, and remains `completed`.
  func confirmedBlock(at time: Timestamp) -> ServerSentEvent {
    block(ServerSentEvent.Token("confirmed"), StatusMessage.confirmedSequence) { object in
      object.member("message", "Confirmed")
      object.member("state", "confirmed")
      object.member("at", time.description)
    }
  }

  /// Creates an event of the execution's own stream, at a position in it.
  fileprivate func block(
    _ name: ServerSentEvent.Token, _ sequence: Int, _ members: (inout JSONObject) -> Void
  ) -> ServerSentEvent {
    var data = JSONText()
    data.object { object in
      members(&object)
      object.member("execution", description)
      object.member("seq", sequence)
    }
    return ServerSentEvent(
      id: .init(epoch: epoch, position: UInt64(sequence)), name: name, data: data)
  }
}
