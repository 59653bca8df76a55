internal import HTTPSignals
internal import HTTPTypes

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

  /// The query parameter, which is looked up like the name of a field.
  private static let parameter = HTTPField.Name(literal: "last_event_id")

  /// Reads the cursor of a request.
  ///
  /// The header field `Last-Event-ID`, which a browser sends when it reconnects, takes precedence
  /// over the query parameter `last_event_id`, which is for the first connection.
  init(of request: Request) {
    let given = request.fields.first(.lastEventID) ?? request.query.first(Self.parameter)
    guard let given, !given.isEmpty else {
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
