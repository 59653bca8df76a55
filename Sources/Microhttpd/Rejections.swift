internal import CMicrohttpd  // its header includes the one of `timespec`
internal import Glibc
internal import HTTPTypes
internal import Logging
internal import Platform
internal import Signals

/// A log of rejections: it logs the first of each kind immediately, then one count per minute.
///
/// So a client that sends millions of invalid requests causes one line per kind and minute, not a
/// full disk. All event loops share one log, which may be used from any thread. It never logs which
/// client was rejected.
final class RejectionLog: Sendable {
  private let logger: Logger
  private let metrics: DaemonMetrics
  private let now: @Sendable () -> Duration
  private let windows = Lock(LogWindows())

  init(
    logger: Logger, metrics: DaemonMetrics = DaemonMetrics(),
    now: @escaping @Sendable () -> Duration = RejectionLog.coarseTime
  ) {
    self.logger = logger
    self.metrics = metrics
    self.now = now
  }

  /// Counts a rejection, and logs it if it opens a window of its kind.
  ///
  /// - Parameter metadata: Metadata for the line of a first rejection; it must not contain data of
  ///   the client.
  func count(_ kind: RejectionKind, metadata: @autoclosure () -> Logger.Metadata? = nil) {
    metrics.count(kind)
    let time = now()
    guard windows.withLock({ $0.count(kind.subject, kind.level, at: time) }) else { return }
    let line: Logger.Message = "\(kind.subject): 1, further ones are reported once a minute"
    logger.log(level: kind.level, line, metadata: metadata())
  }

  /// Logs the counts that are due; call it about once a second, from one loop or from all of them.
  func logSummaries() {
    let time = now()
    for (subject, level, count) in windows.withLock({ $0.takeSummaries(at: time) }) {
      logger.log(level: level, "\(subject): \(Self.grouped(count)) in the last minute")
    }
  }

  /// Formats a number with commas between groups of three digits.
  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// Returns the time of the kernel's last tick.
  private static func coarseTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// A kind of event that any client can cause, and that the log therefore only counts.
enum RejectionKind: String, CaseIterable, Sendable {
  /// A request that is not valid HTTP or is ambiguous: 400, 414, 431, 505, and every request that
  /// libmicrohttpd rejects itself.
  case malformedRequest = "malformed-request"
  case forbidden
  case tooManyRequests = "too-many-requests"
  case unavailable
  /// A connection over the total limit, over the limit of its client, or over the client's rate.
  case connection
  case stream
  /// A connection that the system did not let libmicrohttpd accept.
  case accept
  case responseField = "response-field"
  /// Anything else that libmicrohttpd reports.
  case library

  /// The counted events in the plural: the beginning of the log line.
  var subject: String {
    switch self {
    case .malformedRequest: "malformed requests"
    case .forbidden: "responses with 403"
    case .tooManyRequests: "responses with 429"
    case .unavailable: "responses with 503"
    case .connection: "connections over the limit"
    case .stream: "event streams over the limit"
    case .accept: "connections that could not be accepted"
    case .responseField: "response fields dropped"
    case .library: "errors reported by libmicrohttpd"
    }
  }

  /// The log level; a warning is an event whose cause the operator can change.
  var level: Logger.Level {
    switch self {
    case .malformedRequest, .forbidden, .tooManyRequests: .info
    case .unavailable, .connection, .stream, .accept: .warning
    case .responseField, .library: .error
    }
  }

  /// Returns `nil` for a status that is not counted.
  init?(_ status: HTTPResponse.Status) {
    switch status.code {
    case 400, 414, 431: self = .malformedRequest
    case 403: self = .forbidden
    case 429: self = .tooManyRequests
    case 503: self = .unavailable
    default: return nil
    }
  }
}
