internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes

/// The head of a request, as it was sent.
struct RequestHead {
  /// The method; `nil` when it is no token (RFC 9110 §9.1).
  let method: HTTPRequest.Method?
  /// What is asked for, up to the query (RFC 9112 §3.2).
  let target: String
  /// Whether it is of HTTP/1.0, which has neither chunks nor a `Host` that must be.
  let isHTTP10: Bool
  /// The pairs of the query.
  private(set) var query = NameValuePairs()
  /// The header fields.
  private(set) var fields = NameValuePairs()

  /// Reads the head of a request.
  ///
  /// The corresponding C function is `MHD_get_connection_values_n`.
  ///
  /// - Parameters:
  ///   - connection: Whose request it is.
  ///   - url: The target up to the query.
  ///   - method: The name of the method.
  ///   - version: The version, `HTTP/1.1` for instance.
  init(
    _ connection: OpaquePointer,
    url: UnsafePointer<CChar>,
    method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>
  ) {
    self.method = Self.method(named: method)
    target = String(cString: url)
    isHTTP10 = strcmp(version, "HTTP/1.0") == 0
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = MHD_get_connection_values_n(connection, .HEADER_KIND, pairHandler, fields)
    }
    withUnsafeMutablePointer(to: &query) { query in
      _ = MHD_get_connection_values_n(connection, .GET_ARGUMENT_KIND, pairHandler, query)
    }
  }

  private static func method(named name: UnsafePointer<CChar>) -> HTTPRequest.Method? {
    if strcmp(name, "POST") == 0 { return .post }
    if strcmp(name, "GET") == 0 { return .get }
    if strcmp(name, "HEAD") == 0 { return .head }
    return HTTPRequest.Method(String(cString: name))
  }

  /// How much memory the head takes, about as libmicrohttpd counts it: its octets, and a record for
  /// each field.
  var memoryBytes: Int {
    targetBytes + fields.octetCount + 64 * fields.count
  }

  /// How much of it the target takes.
  var targetBytes: Int {
    target.utf8.count + query.octetCount + 64 * query.count
  }

  /// The path: what follows the host where the target is a whole URL, as a proxy is sent it and a
  /// server has to understand (RFC 9112 §3.2.2).
  ///
  /// `nil` when the target is none of its forms, or names another host than `Host`: the one in front
  /// may have looked at the one, and the service at the other.
  var path: String? {
    let octets = target.utf8
    if octets.first == UInt8(ascii: "/") || target == "*" { return target }
    guard let schemeEnd = octets.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = target[..<schemeEnd].lowercased()
    let rest = target[schemeEnd...]
    guard scheme == "http" || scheme == "https", rest.hasPrefix("://") else { return nil }
    let authority = rest.dropFirst(3).prefix { $0 != "/" }
    guard !authority.isEmpty, authority.lowercased() == fields.first("host")?.lowercased() else {
      return nil
    }
    return authority.endIndex < target.endIndex ? String(target[authority.endIndex...]) : "/"
  }
}
