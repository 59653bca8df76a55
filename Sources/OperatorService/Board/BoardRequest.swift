internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Platform
internal import Security

// The rules of the board for hosts, origins and cookies.

extension Request {
  /// Whether the requested host is an IP address, `localhost`, or that of `--operator-url`.
  ///
  /// A page that rebinds a name of its own to this address could otherwise read the board.
  func isForBoard(at url: WebOrigin?) -> Bool {
    guard fields.count(of: .hostField) == 1,
      let host = fields.first(.hostField).flatMap({ WebOrigin.hostAndPort($0, "http")?.host })
    else { return false }
    if host == "localhost" || host == url?.host { return true }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    return IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : host) != nil
  }

  /// The origin of the form that has sent the request; `nil` if it is not the board's.
  ///
  /// Host *and port*: cookies do not distinguish ports, and the public pages may be on the same
  /// host.
  func boardOrigin(at url: WebOrigin?) -> WebOrigin? {
    guard fields.count(of: .origin) == 1,
      let origin = fields.first(.origin).flatMap({ WebOrigin($0) })
    else { return nil }
    if origin == url { return origin }
    guard let host = fields.first(.hostField),
      let own = WebOrigin.hostAndPort(host, origin.scheme),
      own.host == origin.host, own.port == origin.port
    else { return nil }
    return origin
  }

  /// The session in the cookie; `nil` without one that is genuine and has not ended.
  func session(_ keyring: Keyring, at now: Timestamp) -> SessionToken? {
    let pairs = fields.values(of: .cookie).flatMap { $0.split(separator: ";") }
    let cookies = pairs.compactMap { pair -> (name: Substring, value: Substring)? in
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
    return SessionCookie.allCases.lazy
      .compactMap { cookie in cookies.first { $0.name == cookie.rawValue }?.value }
      .compactMap { SessionToken($0, keyring, at: now.seconds) }
      .first
  }
}

/// The cookie of a session, which only this listener can set over https.
enum SessionCookie: String, CaseIterable {
  case secure = "__Host-enlist_session"
  /// Over http, where browsers disagree about `Secure`.
  case plain = "enlist_session"

  /// Creates the cookie for a form of an origin.
  init(for origin: WebOrigin) {
    self = origin.scheme == "https" ? .secure : .plain
  }

  /// Returns the value of `Set-Cookie`; no seconds delete the cookie.
  func field(_ value: String, seconds: Int64) -> String {
    let secure = self == .secure ? "; Secure" : ""
    return "\(rawValue)=\(value); HttpOnly; SameSite=Strict; Path=/; Max-Age=\(seconds)\(secure)"
  }
}

extension Timestamp {
  /// The whole seconds since 1970.
  var seconds: Int64 { millisecondsSince1970 / 1000 }
}
