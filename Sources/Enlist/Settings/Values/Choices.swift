/// Whether everybody may read the merged stream of status messages.
enum StatusStream: String, CaseIterable, Sendable {
  /// Whoever asks.
  case `public`
  /// Nobody.
  case off
}

/// Something that is done or not.
enum Switch: String, CaseIterable, Sendable {
  /// It is done.
  case on
  /// It is not.
  case off
}

/// How a log line is written.
enum LogFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// For programs: one JSON object a line.
  case json
}
