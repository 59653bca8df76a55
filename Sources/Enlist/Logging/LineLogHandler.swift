internal import HTTPSignals
internal import Logging
internal import MailingList

/// The format of log lines.
enum LogFormat: Sendable {
  case text
  /// One JSON object per line, for programs.
  case json
}

/// A log handler that writes each event as exactly one line, even if its text has line breaks.
struct LineLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel: Logger.Level

  private let label: String
  private let format: LogFormat
  private let isColored: Bool
  private let hasPriority: Bool
  private let now: @Sendable () -> Timestamp
  private let write: @Sendable (String) -> Void

  /// Creates a handler; `write` receives each line without its line end, on any thread.
  init(
    label: String, level: Logger.Level, format: LogFormat, isColored: Bool = false,
    hasPriority: Bool = false, now: @escaping @Sendable () -> Timestamp = { .now },
    write: @escaping @Sendable (String) -> Void
  ) {
    self.label = label
    logLevel = level
    self.format = format
    self.isColored = isColored
    self.hasPriority = hasPriority
    self.now = now
    self.write = write
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    all.merge(metadataProvider?.get() ?? [:]) { $1 }
    all.merge(event.metadata ?? [:]) { $1 }
    if let error = event.error { all["error"] = "\(error)" }
    write(line(event.level, event.message, all))
  }

  /// Formats a line without its line end, and without writing it.
  func line(
    _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]
  ) -> String {
    let pairs = metadata.sorted { $0.key < $1.key }
    return switch format {
    case .text: textLine(level, message, pairs)
    case .json: jsonLine(level, message, pairs)
    }
  }

  /// Formats a line such as `2026-11-21T00:00:00.000Z info enlist: message key=value`.
  private func textLine(
    _ level: Logger.Level, _ message: Logger.Message,
    _ pairs: [(key: String, value: Logger.MetadataValue)]
  ) -> String {
    let priority = hasPriority ? JournalPriority.prefix(of: level) : ""
    let level = isColored ? LogColor.colored(level) : "\(level)"
    var line = "\(priority)\(now()) \(level) \(label): \(LineText.escaped("\(message)"))"
    for (key, value) in pairs {
      let text = "\(value)"
      // Search bytes, because a combining mark turns a space or an equals sign into another
      // character.
      let isPlain = !text.isEmpty && !text.utf8.contains { " \"=\\".utf8.contains($0) }
      line +=
        " \(LineText.escaped(key))=\(isPlain ? LineText.escaped(text) : LineText.quoted(text))"
    }
    return line
  }

  private func jsonLine(
    _ level: Logger.Level, _ message: Logger.Message,
    _ pairs: [(key: String, value: Logger.MetadataValue)]
  ) -> String {
    var json = JSONText(escaping: .line)
    json.object { object in
      object.member("time", "\(now())")
      object.member("level", "\(level)")
      object.member("logger", label)
      object.member("message", "\(message)")
      guard !pairs.isEmpty else { return }
      object.object("metadata") { metadata in
        for (key, value) in pairs { metadata.member(named: key, "\(value)") }
      }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
