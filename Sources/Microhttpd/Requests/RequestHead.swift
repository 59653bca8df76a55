internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes

/// The head of a request (RFC 9112 §2.1).
struct RequestHead {
  /// The method; `nil` if it is not a token (RFC 9110 §9.1).
  private(set) var method: HTTPRequest.Method?
  /// The request target up to the query (RFC 9112 §3.2).
  private(set) var target = ""
  /// Whether the version is HTTP/1.0, which has no chunks and does not require `Host`.
  private(set) var isHTTP10 = false
  private(set) var query = FieldList()
  private(set) var fields = FieldList()
  /// The size as it was sent, in bytes.
  private(set) var byteCount = 0
  /// Whether the values are text, and nothing is hidden between the parts.
  private(set) var isWellFormed = false

  /// Creates the head of a request that has none yet.
  init() {}

  /// Reads the head of a request; `version` is `HTTP/1.1`, for example.
  ///
  /// The corresponding C function is `MHD_get_connection_values_n`.
  init(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>, targetByteCount: Int
  ) {
    self.method = Self.method(named: method)
    target = String(cString: url)
    isHTTP10 = strcmp(version, "HTTP/1.0") == 0
    byteCount = cmicrohttpd_head_size(connection)
    var pairs = PairCollector(
      HeadLayout(
        method: method, target: url, targetByteCount: targetByteCount, version: version,
        headByteCount: byteCount))
    withUnsafeMutablePointer(to: &pairs) { cmicrohttpd_pairs(connection, pairHandler, $0) }
    fields = pairs.fields
    query = pairs.query
    isWellFormed = pairs.isWellFormed
  }

  /// Whether the connection may carry another request.
  ///
  /// libmicrohttpd 0.9.75 does not validate the lines of chunks: a proxy in front could take bytes
  /// for the rest of this request, and the service for the next request.
  var keepsConnection: Bool { fields.count(of: .transferEncoding) == 0 }

  private static func method(named name: UnsafePointer<CChar>) -> HTTPRequest.Method? {
    if strcmp(name, "POST") == 0 { return .post }
    if strcmp(name, "GET") == 0 { return .get }
    if strcmp(name, "HEAD") == 0 { return .head }
    return HTTPRequest.Method(String(cString: name))
  }

  /// The memory of the head in bytes, approximately as libmicrohttpd counts it: its own bytes, and
  /// a record for each field and query pair.
  var memoryBytes: Int {
    targetBytes + fields.byteCount + 64 * fields.count
  }

  /// The memory of the target in bytes, as part of ``memoryBytes``.
  var targetBytes: Int {
    target.utf8.count + query.byteCount + 64 * query.count
  }

  /// The path of the target; `nil` if the target is invalid or names a different host than `Host`.
  ///
  /// If the target is a complete URL, the path is the part after the host. Clients send such
  /// targets to proxies, and servers must accept them (RFC 9112 §3.2.2). If the host differs from
  /// `Host`, a proxy in front may have checked one of them, and the service would use the other.
  var path: String? {
    let bytes = target.utf8
    if bytes.first == UInt8(ascii: "/") || target == "*" { return target }
    guard let schemeEnd = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = target[..<schemeEnd].lowercased()
    let rest = target[schemeEnd...]
    guard scheme == "http" || scheme == "https", rest.hasPrefix("://") else { return nil }
    let authority = rest.dropFirst(3).prefix { $0 != "/" }
    guard !authority.isEmpty, authority.lowercased() == fields.first(.hostField)?.lowercased()
    else {
      return nil
    }
    return authority.endIndex < target.endIndex ? String(target[authority.endIndex...]) : "/"
  }
}

/// Adds a header field or a query pair to a ``PairCollector`` (`MHD_KeyValueIteratorN`).
private let pairHandler: MHD_KeyValueIteratorN = {
  closure,
  kind,
  name,
  nameSize,
  value,
  valueSize in
  guard let closure else { return .NO }
  // `RequestHead` passes the collector, which is valid during the call.
  closure.assumingMemoryBound(to: PairCollector.self).pointee.add(
    kind, name: UnsafeBufferPointer(start: name, count: name == nil ? 0 : nameSize),
    value: UnsafeBufferPointer(start: value, count: value == nil ? 0 : valueSize))
  return .YES
}

/// A collector of a request's header fields and query pairs, which libmicrohttpd reports one by
/// one.
struct PairCollector {
  private(set) var query = FieldList()
  private(set) var fields = FieldList()
  private var layout: HeadLayout?
  /// Whether no value of a field contains control characters other than tab (RFC 9110 §5.5).
  private var isText = true

  init(_ layout: HeadLayout?) {
    self.layout = layout
  }

  var isWellFormed: Bool { isText && layout?.isUnbroken ?? true }

  /// Adds a header field or a query pair; skips the marker of `CookieMarker`.
  mutating func add(
    _ kind: MHD_ValueKind, name: UnsafeBufferPointer<CChar>, value: UnsafeBufferPointer<CChar>
  ) {
    guard kind == .HEADER_KIND else {
      return query.append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
    }
    guard !CookieMarker.isMarker(name.baseAddress) else { return }
    fields.append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
    isText = isText && value.allSatisfy { $0 < 0 || $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    layout?.add(name: name, value: value)
  }
}
