internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import MailingList

/// The log of preflight requests for a key (Fetch Standard §3.3.6).
///
/// A page that contains a key usually fails at the preflight, because this listener has no route
/// for it.
struct PreflightLog: Sendable {
  private let log: LimitedLog
  private let now: @Sendable () -> Timestamp

  /// Creates a log of at most one line per minute.
  init(_ logger: Logger, now: @escaping @Sendable () -> Timestamp) {
    log = LimitedLog(logger)
    self.now = now
  }

  /// Logs a request if it is the preflight of a request with a key.
  func check(_ request: Request) {
    guard request.method == .options,
      request.fields.list(.requestedHeaders, contains: "authorization")
    else { return }
    log.log(
      .warning,
      "a page in a browser wants to use a key; keys belong on servers only",
      about: "preflight",
      ["origin": "\(request.pageOrigin ?? "unknown")"],
      at: now()
    )
  }
}
