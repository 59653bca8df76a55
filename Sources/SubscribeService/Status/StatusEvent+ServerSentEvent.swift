internal import HTTPSignals
internal import MailingList

extension StatusMessage {
  /// The name of its event; never `error`, `open` or `message`, which EventSource sends itself.
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

  /// Its place in the messages of one execution.
  var sequence: Int {
    switch self {
    case .started: 1
    case .completed, .failed: 2
    }
  }
}

extension ServerSentEvent {
  /// The control event: what follows does not connect to what the client has seen.
  ///
  /// - Parameters:
  ///   - reason: `invalid`, `epoch` or `expired`.
  ///   - position: The position of what follows; the event's id is the one before.
  ///   - from: The position that is told to the client.
  ///   - epoch: The log's epoch.
  /// - Returns: The event.
  static func reset(
    _ reason: String,
    before position: UInt64,
    from: UInt64,
    epoch: Token
  ) -> ServerSentEvent {
    var data = JSONText()
    data.object { object in
      object.member("reason", reason)
      object.member("from", ID(epoch: epoch, position: from).description)
    }
    return ServerSentEvent(
      id: ID(epoch: epoch, position: position - 1),
      name: Token("reset"),
      data: data
    )
  }
}

extension StatusMessage {
  /// Writes what every stream may tell.
  func write(at time: Timestamp, to object: inout JSONObject) {
    object.member("message", rawValue)
    object.member("state", state)
    object.member("at", time.description)
  }
}

extension StatusEvent {
  /// The event on the execution's own stream.
  var executionBlock: ServerSentEvent {
    var data = JSONText()
    data.object { object in
      message.write(at: time, to: &object)
      object.member("execution", execution.description)
      object.member("seq", message.sequence)
    }
    return ServerSentEvent(
      id: .init(epoch: execution.epoch, position: UInt64(message.sequence)),
      name: message.eventName,
      data: data
    )
  }

  /// The messages of an execution of which only the store knows: it was stored.
  static func stored(_ id: ExecutionID) -> [StatusEvent] {
    [StatusMessage.started, .completed].map { message in
      StatusEvent(execution: id, message: message, time: id.madeAt)
    }
  }
}

extension ExecutionID {
  /// The epoch of the execution's own stream: the same in every process.
  var epoch: ServerSentEvent.Token { ServerSentEvent.Token(description.prefix(8)) }
}

extension JSONText {
  /// An execution as it is now: the body of the 202, and of `GET /executions/{id}`.
  static func snapshot(of id: String, after message: StatusMessage) -> JSONText {
    var json = JSONText()
    json.object { object in
      object.object("execution") { execution in
        execution.member("id", id)
        execution.member("state", message.state)
        execution.member("message", message.rawValue)
      }
    }
    return json
  }
}
