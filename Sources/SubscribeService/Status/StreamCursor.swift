internal import HTTPSignals
internal import HTTPTypes

/// What a client has seen of a stream, as it says itself.
enum StreamCursor: Hashable, Sendable {
  /// It says nothing: a first visit.
  case none
  /// It wants all that there is.
  case earliest
  /// It has seen the event of this id, and all before.
  case after(epoch: ServerSentEvent.Token, position: UInt64)
  /// It says something that is no id.
  case malformed

  /// Reads the cursor of a request: the header `Last-Event-ID`, which a browser sends when it comes
  /// back, wins over the query `last_event_id`, for the first visit.
  init(of request: Request) {
    let given = request.fields.first("last-event-id") ?? request.query.first("last_event_id")
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
    // First, since what is longer is sent to be expensive.
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
