internal import HTTPTypes
internal import Logging

/// What strangers can cause, and what the log therefore only counts.
///
/// To count something new, add a case and its ``subject``, and call ``RejectionLog/count(_:metadata:)``.
enum RejectionKind: CaseIterable, Hashable, Sendable {
  /// A request that is not HTTP, or that two programs can read in two ways: 400, 414, 431 and
  /// whatever libmicrohttpd rejects by itself.
  case malformedRequest
  /// A response with 403.
  case forbidden
  /// A response with 429.
  case tooManyRequests
  /// A response with 503.
  case unavailable
  /// A connection over the limit of all, or of its client.
  case connection
  /// An event stream over the limit of all, or of its client.
  case stream
  /// A connection that the system did not let libmicrohttpd accept.
  case accept
  /// A response field that libmicrohttpd did not take.
  case responseField
  /// Anything else that libmicrohttpd reports.
  case library
}

extension RejectionKind {
  /// What is counted, in the plural: the beginning of the log line.
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

  /// How severe it is: a warning is something that the operator can change.
  var level: Logger.Level {
    switch self {
    case .malformedRequest, .forbidden, .tooManyRequests: .info
    case .unavailable, .connection, .stream, .accept: .warning
    case .responseField, .library: .error
    }
  }

  /// The kind of a response that is counted by its status; `nil` for one that is not counted.
  ///
  /// - Parameter status: The status of any response.
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
