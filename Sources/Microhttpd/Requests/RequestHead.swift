internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes

struct RequestHead {
  /// The method; `nil` if it is not a token (RFC 9110 §9.1).
  let method: HTTPRequest.Method?
  /// The request target up to the query (RFC 9112 §3.2).
  let target: String
  /// Whether the version is HTTP/1.0, which has no chunks and does not require `Host`.
  let isHTTP10: Bool
  private(set) var query = FieldList()
  private(set) var fields = FieldList()
  /// The first byte of the head in the connection's memory; valid during the first call of the
  /// access handler.
  let start: UnsafePointer<CChar>
  /// The result of the scan of the raw head.
  let finding: HeadWatch.Finding
  /// The first of the records that libmicrohttpd has put at the end of the connection's memory.
  private let memoryEnd: UnsafePointer<CChar>?
  /// The first byte after the head.
  private let end: UnsafePointer<CChar>

  /// Reads the head of a request; `version` is `HTTP/1.1`, for example.
  ///
  /// The corresponding C function is `MHD_get_connection_values_n`.
  init(
    _ connection: OpaquePointer,
    url: UnsafePointer<CChar>,
    method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>,
    watch: HeadWatch
  ) {
    self.method = Self.method(named: method)
    start = method
    target = String(cString: url)
    isHTTP10 = strcmp(version, "HTTP/1.0") == 0
    var pairs = PairCollector()
    withUnsafeMutablePointer(to: &pairs) { cmicrohttpd_pairs(connection, pairHandler, $0) }
    fields = pairs.fields
    query = pairs.query
    memoryEnd = pairs.memoryEnd
    end = method + cmicrohttpd_head_size(connection)
    var finding = watch.headArrived(of: connection, end: end)
    // Exactly one space separates the method and the target, and the method contains no NUL with
    // bytes hidden behind it.
    if url != method + strlen(method) + 1 { finding = .malformed }
    if case .inPieces = finding,
      !Self.isIntact(connection, target: url, version: version, end: end)
    {
      finding = .malformed
    }
    self.finding = finding
  }

  /// Returns whether the head has no bytes other than the parts that libmicrohttpd reports.
  private static func isIntact(
    _ connection: OpaquePointer,
    target: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>,
    end: UnsafePointer<CChar>
  ) -> Bool {
    var layout = FieldLayout(target: target, version: version)
    withUnsafeMutablePointer(to: &layout) { cmicrohttpd_pairs(connection, layoutHandler, $0) }
    return layout.isIntact(upTo: end)
  }

  /// Checks that the connection's memory can hold the head of any response, regardless of how many
  /// bytes the client has sent after the request.
  ///
  /// libmicrohttpd 0.9.75 reads into half of the memory, and into 128 bytes more when that is full.
  /// A head that needs more gets at most 1 KiB more than it needs. Memory that held empty lines
  /// before the request is lost.
  func leavesRoomForResponse(in connectionMemoryBytes: Int) -> Bool {
    guard let memoryEnd else { return false }
    let readEnd = max(start + connectionMemoryBytes / 2 + 128, end + 1024)
    return memoryEnd - readEnd >= Self.maximumResponseHeadBytes
  }

  /// The maximum size of a response's head, in bytes: 3 KiB for the service's fields, and the rest
  /// for libmicrohttpd's.
  private static let maximumResponseHeadBytes = 3584

  /// Whether the connection may carry another request.
  ///
  /// Not if bytes were not seen raw, such as the lines of chunks: a proxy in front could take them
  /// for the rest of this request, and the service for the next request.
  var keepsConnection: Bool {
    switch finding {
    case .wellFormed: fields.count(of: .transferEncoding) == 0
    case .inPieces, .malformed: false
    }
  }

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
    kind,
    name: UnsafeBufferPointer(start: name, count: name == nil ? 0 : nameSize),
    value: UnsafeBufferPointer(start: value, count: value == nil ? 0 : valueSize)
  )
  return .YES
}

/// A collector of a request's header fields and query pairs, which libmicrohttpd reports one by
/// one.
struct PairCollector {
  private(set) var query = FieldList()
  private(set) var fields = FieldList()
  /// The first of the records that libmicrohttpd has put at the end of the connection's memory.
  private(set) var memoryEnd: UnsafePointer<CChar>?

  /// Adds a header field or a query pair; skips the marker of `CookieMarker`.
  mutating func add(
    _ kind: MHD_ValueKind,
    name: UnsafeBufferPointer<CChar>,
    value: UnsafeBufferPointer<CChar>
  ) {
    if kind == .HEADER_KIND {
      guard !CookieMarker.isMarker(name.baseAddress) else { return }
      fields.append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
    } else if kind == .GET_ARGUMENT_KIND {
      query.append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
    } else {
      // libmicrohttpd has copied the marker's value; its one record lies just below the copy.
      memoryEnd = name.baseAddress.map { $0 - 64 }
    }
  }
}
