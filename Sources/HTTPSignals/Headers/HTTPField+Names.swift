package import HTTPTypes

// The names that HTTPTypes lacks. Those of requests are in lower case: then the name is also the
// key of a lookup, and neither is allocated.

extension HTTPField.Name {
  /// Creates the name in a literal, which must be a token (RFC 9110 §5.6.2).
  package init(literal name: String) {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a token") }
    self = name
  }

  /// `Accept-Post` (RFC 9110 §15.5.16, Linked Data Platform 1.0 §7.1).
  package static let acceptPost = HTTPField.Name(literal: "Accept-Post")
  /// `Access-Control-Request-Headers` (Fetch Standard §3.3.2).
  package static let requestedHeaders = HTTPField.Name(literal: "access-control-request-headers")
  /// `Cross-Origin-Opener-Policy` (HTML Living Standard §7.1.3).
  package static let crossOriginOpenerPolicy = HTTPField.Name(literal: "Cross-Origin-Opener-Policy")
  /// `Forwarded` (RFC 7239 §4).
  package static let forwarded = HTTPField.Name(literal: "forwarded")
  /// `Host` (RFC 9110 §7.2); HTTPTypes has it as a part of the request instead.
  package static let hostField = HTTPField.Name(literal: "host")
  /// `Last-Event-ID` (HTML Living Standard §9.2.4).
  package static let lastEventID = HTTPField.Name(literal: "last-event-id")
  /// `Link` (RFC 8288 §3).
  package static let link = HTTPField.Name(literal: "Link")
  /// `Prefer` (RFC 7240 §2).
  package static let prefer = HTTPField.Name(literal: "prefer")
  /// `Preference-Applied` (RFC 7240 §3).
  package static let preferenceApplied = HTTPField.Name(literal: "Preference-Applied")
  /// `Referrer-Policy` (Referrer Policy §4.1).
  package static let referrerPolicy = HTTPField.Name(literal: "Referrer-Policy")
  /// `Sec-Fetch-Mode` (Fetch Metadata Request Headers §2.2).
  package static let secFetchMode = HTTPField.Name(literal: "sec-fetch-mode")
  /// `Sec-Fetch-Site` (Fetch Metadata Request Headers §2.3).
  package static let secFetchSite = HTTPField.Name(literal: "sec-fetch-site")
  /// `traceparent` (W3C Trace Context §3.2).
  package static let traceParent = HTTPField.Name(literal: "traceparent")
  /// `X-Accel-Buffering`, with which a response disables the buffer of nginx.
  package static let xAccelBuffering = HTTPField.Name(literal: "X-Accel-Buffering")
  /// `X-Forwarded-For`, which names the client and the proxies before the last one.
  package static let xForwardedFor = HTTPField.Name(literal: "x-forwarded-for")
  /// `X-Forwarded-Host`, which names the host that the client requested.
  package static let xForwardedHost = HTTPField.Name(literal: "x-forwarded-host")
  /// `X-Robots-Tag`, with which a page excludes itself from search engines.
  package static let xRobotsTag = HTTPField.Name(literal: "X-Robots-Tag")
}
