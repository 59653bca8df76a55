internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import Platform

/// The log of requests: one line for each, at `debug`.
///
/// A line has the pattern of the route instead of the path, which may contain a secret. It does not
/// name the client, and the ids of the trace are its only data that the client has chosen. Requests
/// that are rejected before their head has arrived are only counted, see ``RejectionLog``.
struct RequestLog: Sendable {
  private let logger: Logger
  private let route: @Sendable (_ path: String) -> String?

  /// Returns `nil` if requests are not logged: above `debug` a request costs no more than a
  /// comparison with `nil`.
  init?(_ options: DaemonOptions) {
    guard let route = options.route, options.logger.logLevel <= .debug else { return nil }
    self.route = route
    logger = options.logger
  }

  /// Writes the line of a request whose response is about to be sent; the path is empty if the head
  /// is malformed.
  func end(
    _ head: RequestHead, path: String, since start: ContinuousClock.Instant,
    status: HTTPResponse.Status, body: ResponseBody
  ) {
    var metadata = metadata(of: head, path: path, since: start)
    metadata["status"] = "\(status.code)"
    switch body {
    case .none: metadata["bytes"] = "0"
    case .bytes(let bytes): metadata["bytes"] = "\(head.method == .head ? 0 : bytes.count)"
    case .events: break  // it has just begun
    }
    logger.debug("request", metadata: metadata)
  }

  /// Writes the line of a request whose client closed the connection before the response.
  func abandon(_ head: RequestHead, path: String, since start: ContinuousClock.Instant) {
    logger.debug(
      "request without response", metadata: metadata(of: head, path: path, since: start))
  }

  private func metadata(
    of head: RequestHead, path: String, since start: ContinuousClock.Instant
  ) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "id": "\(Self.makeID())",
      "method": "\(Self.name(of: head.method))",
      "route": "\(route(path) ?? "none")",
      "duration-us": "\(Self.microseconds(since: start))",
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

/// The position of a request in a distributed trace, as reported by the client (W3C Trace Context
/// §3.2).
struct TraceContext: Hashable, Sendable {
  /// The id of the whole trace: 32 hexadecimal digits in lower case.
  let traceID: String
  /// The id of the client's span, which the specification calls `parent-id`: 16 such digits.
  let spanID: String

  /// Returns `nil` without `traceparent`, with several, and with a malformed one, which must be
  /// ignored.
  init?(of fields: FieldList) {
    guard fields.count(of: .traceParent) == 1, let value = fields.first(.traceParent) else {
      return nil
    }
    self.init(value)
  }

  /// Parses the value of `traceparent`, for example
  /// `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
  ///
  /// Later versions of the format may append parts, which are ignored.
  init?(_ text: String) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count >= 4,
      let version = Self.digits(parts[0], count: 2), version != "ff",
      parts.count == 4 || version != "00",
      let traceID = Self.digits(parts[1], count: 32), Self.isNonzero(traceID),
      let spanID = Self.digits(parts[2], count: 16), Self.isNonzero(spanID),
      Self.digits(parts[3], count: 2) != nil
    else { return nil }
    self.traceID = traceID
    self.spanID = spanID
  }

  private static func digits(_ part: Substring.UTF8View, count: Int) -> String? {
    guard part.count == count,
      part.allSatisfy({ $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) })
    else { return nil }
    return String(Substring(part))
  }

  private static func isNonzero(_ digits: String) -> Bool {
    digits.utf8.contains { $0 != UInt8(ascii: "0") }
  }
}
