/// Whether everybody may read the merged stream of status messages.
enum StatusStream: String, CaseIterable, Sendable {
  /// Whoever asks.
  case `public`
  /// Nobody.
  case off
}

/// What has a command of its own, and so at most one execution in flight.
enum CommandScope: String, CaseIterable, Sendable {
  /// Each address: two people never wait for each other.
  case address
  /// The whole service: sign-ups strictly one at a time.
  case service
}

/// How a log line is written.
enum LogFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// For programs: one JSON object a line.
  case json
}
