/// Access to the merged stream of status messages.
enum StatusStream: String, CaseIterable, Sendable {
  /// Any client may read the stream.
  case `public`
  /// The stream is disabled.
  case off
}

/// A setting that is either on or off.
enum Switch: String, CaseIterable, Sendable {
  case on
  case off
}

/// The format of log lines.
enum LogFormat: String, CaseIterable, Sendable {
  /// Text for people.
  case text
  /// One JSON object per line, for programs.
  case json
}
