internal import FoundationEssentials
internal import Glibc
internal import HTTPSignals
internal import Logging
internal import MailingList

enum Log {
  /// Directs all logging of this process to standard error; called once, at startup.
  static func bootstrap(_ settings: Settings) -> Logger {
    let (level, format) = (settings.logLevel, settings.logFormat)
    let environment = ProcessInfo.processInfo.environment
    let isColored = LogColor.isWanted(
      isTerminal: isatty(STDERR_FILENO) == 1, environment: environment)
    let hasPriority = JournalPriority.isWanted(environment: environment)
    let output = LogOutput.standardError
    let makeHandler: @Sendable (String) -> LineLogHandler = { label in
      LineLogHandler(
        label: label, level: level, format: format, isColored: isColored, hasPriority: hasPriority
      ) { output.write(line: $0) }
    }
    output.format(by: makeHandler("enlist"))
    output.start()
    LoggingSystem.bootstrap(makeHandler)
    return Logger(label: "enlist")
  }
}

enum LogFormat: String, CaseIterable, Sendable {
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

  /// - Parameter write: Receives each line without its line end, on any thread.
  init(
    label: String, level: Logger.Level, format: LogFormat, isColored: Bool = false,
    hasPriority: Bool = false, now: @escaping @Sendable () -> Timestamp = { .now },
    write: @escaping @Sendable (String) -> Void
  ) {
    (self.label, logLevel, self.format) = (label, level, format)
    (self.isColored, self.hasPriority) = (isColored, hasPriority)
    (self.now, self.write) = (now, write)
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

  /// Formats a line such as `2026-11-21T00:00:00.000Z info enlist: message key=value`.
  func line(
    _ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]
  ) -> String {
    let pairs = metadata.sorted { $0.key < $1.key }
    switch format {
    case .text:
      let priority = hasPriority ? JournalPriority.prefix(of: level) : ""
      let level = isColored ? LogColor.colored(level) : "\(level)"
      var line = "\(priority)\(now()) \(level) \(label): \(LineText.escaped("\(message)"))"
      for (key, value) in pairs {
        let text = "\(value)"
        // Search bytes, because a combining mark turns a space or an equals sign into another
        // character.
        let isPlain = !text.isEmpty && !text.utf8.contains { " \"=\\".utf8.contains($0) }
        let shown = isPlain ? LineText.escaped(text) : LineText.quoted(text)
        line += " \(LineText.escaped(key))=\(shown)"
      }
      return line
    case .json:
      return JSONText.line { object in
        object.member("time", "\(now())")
        object.member("level", "\(level)")
        object.member("logger", label)
        object.member("message", "\(message)")
        guard !pairs.isEmpty else { return }
        object.object("metadata") { metadata in
          for (key, value) in pairs { metadata.member(named: key, "\(value)") }
        }
      }
    }
  }

  /// Formats a line that says why the process ends.
  func lastLine(_ line: String) -> String {
    switch format {
    case .text: (hasPriority ? JournalPriority.prefix(of: .critical) : "") + line
    case .json: self.line(.critical, "\(line)")
    }
  }
}

/// The colors of log levels on a terminal.
enum LogColor {
  static func isWanted(isTerminal: Bool, environment: [String: String]) -> Bool {
    isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// Returns the name of a level with its color (ECMA-48 §8.3.117).
  static func colored(_ level: Logger.Level) -> String {
    let code =
      switch level {
      case .trace, .debug: "2"
      case .info: "32"
      case .notice: "36"
      case .warning: "33"
      case .error: "31"
      case .critical: "1;31"
      }
    return "\u{1B}[\(code)m\(level)\u{1B}[0m"
  }
}

/// The priorities of lines in the journal of systemd (`sd-daemon(3)`).
enum JournalPriority {
  /// Returns whether standard error is the journal that `JOURNAL_STREAM` names by its device and
  /// inode; a child may have inherited the variable with another standard error.
  static func isWanted(environment: [String: String], descriptor: Int32 = STDERR_FILENO) -> Bool {
    guard let stream = environment["JOURNAL_STREAM"] else { return false }
    var status = stat()
    return fstat(descriptor, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
  }

  static func prefix(of level: Logger.Level) -> String {
    switch level {
    case .critical, .error: "<3>"
    case .warning: "<4>"
    case .notice, .info: "<6>"
    case .debug, .trace: "<7>"
    }
  }
}

/// Escaping of untrusted text for one line of output.
enum LineText {
  /// Escapes characters that end a line or control a terminal: C0 and C1 controls, DEL, line and
  /// paragraph separators, and bidirectional controls.
  static func escaped(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: \.isUnfitForLine) else { return String(text) }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where !scalar.isUnfitForLine: result.unicodeScalars.append(scalar)
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }

  /// Formats text as a JSON string (RFC 8259 §7), including its quotes.
  static func quoted(_ text: String) -> String {
    var json = JSONText(escaping: .line)
    json.string(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
