internal import HTTPTypes
internal import Logging

/// A kind of event that any client can cause, and that the log therefore only counts.
///
/// To count something new, add a case and its ``subject``, and call
/// ``RejectionLog/count(_:metadata:)``.
enum RejectionKind: CaseIterable, Hashable, Sendable {
  /// A request that is not valid HTTP or is ambiguous: 400, 414, 431, 505, and every request that
  /// libmicrohttpd rejects itself.
  case malformedRequest
  case forbidden
  case tooManyRequests
  case unavailable
  /// A connection over the total limit, over the limit of its client, or over the client's rate.
  case connection
  /// An event stream over a total limit, or over the limit of its client.
  case stream
  /// A connection that the system did not let libmicrohttpd accept.
  case accept
  /// A response field that libmicrohttpd rejected.
  case responseField
  /// Anything else that libmicrohttpd reports.
  case library
}

extension RejectionKind {
  var name: String {
    switch self {
    case .malformedRequest: "malformed-request"
    case .forbidden: "forbidden"
    case .tooManyRequests: "too-many-requests"
    case .unavailable: "unavailable"
    case .connection: "connection"
    case .stream: "stream"
    case .accept: "accept"
    case .responseField: "response-field"
    case .library: "library"
    }
  }

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

  /// Creates the kind of a response from its status; `nil` for a status that is not counted.
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
