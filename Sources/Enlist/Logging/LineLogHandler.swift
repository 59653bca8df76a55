internal import Logging
internal import MailingList

/// Writes each log event as one line, whatever it contains.
struct LineLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel: Logger.Level

  private let label: String
  private let format: LogFormat
  private let now: @Sendable () -> Timestamp
  private let write: @Sendable (String) -> Void

  /// Makes a handler.
  ///
  /// - Parameters:
  ///   - label: Who logs.
  ///   - level: The least severe event that is written.
  ///   - format: How a line looks.
  ///   - now: The clock.
  ///   - write: Receives each line, without its end, from any thread.
  init(
    label: String,
    level: Logger.Level,
    format: LogFormat,
    now: @escaping @Sendable () -> Timestamp = { .now },
    write: @escaping @Sendable (String) -> Void
  ) {
    self.label = label
    logLevel = level
    self.format = format
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
    let pairs = all.sorted { $0.key < $1.key }
    switch format {
    case .text: write(textLine(event, pairs))
    case .json: write(jsonLine(event, pairs))
    }
  }

  /// `2026-11-21T00:00:00.000Z info enlist: message key=value`.
  private func textLine(
    _ event: LogEvent,
    _ pairs: [(key: String, value: Logger.MetadataValue)]
  ) -> String {
    var line = "\(now()) \(event.level) \(label): \(LineText.escaped("\(event.message)"))"
    for (key, value) in pairs {
      let text = "\(value)"
      let isPlain = !text.isEmpty && !text.contains { " \"=\\".contains($0) }
      line += " \(LineText.escaped(key))=\(isPlain ? LineText.escaped(text) : LineText.json(text))"
    }
    return line
  }

  private func jsonLine(
    _ event: LogEvent,
    _ pairs: [(key: String, value: Logger.MetadataValue)]
  ) -> String {
    var line = "{\"time\":\"\(now())\",\"level\":\"\(event.level)\""
    line += ",\"logger\":\(LineText.json(label)),\"message\":\(LineText.json("\(event.message)"))"
    if !pairs.isEmpty {
      let members = pairs.map { "\(LineText.json($0.key)):\(LineText.json("\($0.value)"))" }
      line += ",\"metadata\":{\(members.joined(separator: ","))}"
    }
    return line + "}"
  }
}
