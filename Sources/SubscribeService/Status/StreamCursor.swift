internal import HTTPSignals

/// The last event of a stream that a client has seen, as the client reports it.
enum StreamCursor: Hashable, Sendable {
  /// The client sends no cursor: this is its first connection.
  case none
  /// The client requests all retained events.
  case earliest
  /// The client has seen the event with this id, and all events before it.
  case after(epoch: ServerSentEvent.Token, position: UInt64)
  /// The client sends a value that is not an event id.
  case malformed

  init(of request: Request) {
    guard let given = request.lastEventID else {
      self = .none
      return
    }
    self.init(given)
  }

  private init(_ text: String) {
    if text == "earliest" {
      self = .earliest
      return
    }
    // Check this first: a longer value can only be an attempt to make parsing expensive.
    guard ServerSentEvent.Token.isToken(text) else {
      self = .malformed
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard
      parts.count == 2, !parts[0].isEmpty,
      let position = UInt64(parts[1]),
      position < UInt64(Int64.max)
    else {
      self = .malformed
      return
    }
    self = .after(epoch: .init(parts[0]), position: position)
  }
}
