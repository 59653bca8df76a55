enum StreamEnd: String, CaseIterable {
  /// The client has closed its connection.
  case client
  /// All events have been sent.
  case finished
  /// The stream has reached its maximum lifetime, and its client reconnects.
  case lifetime
  /// The client has read so slowly that its next event is no longer kept.
  case behind
  /// The client has not read at all, and its connection was reset.
  case stalled
  /// The service is shutting down.
  case draining
}
