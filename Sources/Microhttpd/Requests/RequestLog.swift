internal import HTTPSignals
internal import HTTPTypes
internal import Logging

/// The log of requests: one line for each, at `debug`.
///
/// A line has the pattern of the route instead of the path, which may contain a secret. It does not
/// name the client, and the ids of the trace are its only data that the client has chosen. Requests
/// that are rejected before their head has arrived are only counted, see ``RejectionLog``.
struct RequestLog: Sendable {
  /// A request whose line has not been written yet.
  struct Entry: Sendable {
    /// The time at which the head had arrived.
    fileprivate let start: ContinuousClock.Instant
  }

  private let logger: Logger
  private let route: @Sendable (_ path: String) -> String?

  /// Returns `nil` if requests are not logged.
  ///
  /// The level of a logger does not change, so it is compared only once: above `debug` a request
  /// costs no more than a comparison with `nil`.
  init?(_ options: DaemonOptions) {
    guard let route = options.route, options.logger.logLevel <= .debug else { return nil }
    self.route = route
    logger = options.logger
  }

  func begin() -> Entry { Entry(start: .now) }

  /// Writes the line of a request whose response is about to be sent.
  ///
  /// The path is empty if the head is malformed. A stream has just begun, so its line has no number
  /// of bytes.
  func end(
    _ entry: Entry, _ head: RequestHead, path: String, status: HTTPResponse.Status,
    body: ResponseBody
  ) {
    var metadata = metadata(of: entry, head, path: path)
    metadata["status"] = "\(status.code)"
    switch body {
    case .none: metadata["bytes"] = "0"
    case .bytes(let bytes): metadata["bytes"] = "\(head.method == .head ? 0 : bytes.count)"
    case .events: break
    }
    logger.debug("request", metadata: metadata)
  }

  /// Writes the line of a request whose client closed the connection before the response.
  func abandon(_ entry: Entry, _ head: RequestHead, path: String) {
    logger.debug("request without response", metadata: metadata(of: entry, head, path: path))
  }

  private func metadata(of entry: Entry, _ head: RequestHead, path: String) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "id": "\(Self.makeID())",
      "method": "\(Self.name(of: head.method))",
      "route": "\(route(path) ?? "none")",
      "duration-us": "\(Self.microseconds(since: entry.start))",
    ]
    if let trace = TraceContext(of: head.fields) {
      metadata["trace-id"] = "\(trace.traceID)"
      metadata["span-id"] = "\(trace.spanID)"
    }
    return metadata
  }

  /// The name of a method; any token can be one, so only known methods are logged.
  private static func name(of method: HTTPRequest.Method?) -> String {
    guard let method, knownMethods.contains(method) else { return "other" }
    return method.rawValue
  }

  private static let knownMethods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
  ]

  private static func makeID() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  private static func microseconds(since start: ContinuousClock.Instant) -> Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
