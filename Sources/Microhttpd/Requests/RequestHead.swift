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
  private(set) var query = FieldList()
  /// The header fields.
  private(set) var fields = FieldList()
  /// Where it is in the connection's memory; valid in the first call of the access handler.
  let start: UnsafePointer<CChar>
  /// What is known of how it came over the wire.
  let finding: HeadWatch.Finding
  /// Where the records begin that libmicrohttpd has put at the end of the connection's memory.
  private let memoryEnd: UnsafePointer<CChar>?
  /// The first byte after it.
  private let end: UnsafePointer<CChar>

  /// Reads the head of a request.
  ///
  /// The corresponding C function is `MHD_get_connection_values_n`.
  ///
  /// - Parameters:
  ///   - connection: Whose request it is.
  ///   - url: The target up to the query.
  ///   - method: The name of the method.
  ///   - version: The version, `HTTP/1.1` for instance.
  ///   - watch: What has seen it arrive.
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
    // One space follows the method, and nothing is hidden behind a NUL in it.
    if url != method + strlen(method) + 1 { finding = .malformed }
    if case .inPieces = finding,
      !Self.isIntact(connection, target: url, version: version, end: end)
    {
      finding = .malformed
    }
    self.finding = finding
  }

  /// Whether nothing is between the parts of a head that libmicrohttpd does not give.
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

  /// Whether the connection's memory can hold the head of any response, whatever the client has sent
  /// behind the request.
  ///
  /// libmicrohttpd 0.9.75 reads into half of the memory, and into 128 bytes more when that is full; a
  /// head that needs more gets at most 1 KiB more than it needs. What empty lines before the request
  /// have taken is lost.
  ///
  /// - Parameter connectionMemoryBytes: The size of the memory.
  /// - Returns: Whether it can.
  func leavesRoomForResponse(in connectionMemoryBytes: Int) -> Bool {
    guard let memoryEnd else { return false }
    let readEnd = max(start + connectionMemoryBytes / 2 + 128, end + 1024)
    return memoryEnd - readEnd >= Self.maximumResponseHeadBytes
  }

  /// How long the head of a response can get: 3 KiB of the service's fields, and libmicrohttpd's own.
  private static let maximumResponseHeadBytes = 3584

  /// Whether the connection may carry another request.
  ///
  /// Not where something could hide from the service that a proxy in front takes for the rest of
  /// this request: in bytes that were not seen raw, such as the lines of chunks.
  var keepsConnection: Bool {
    switch finding {
    case .wellFormed: fields.count(of: "transfer-encoding") == 0
    case .inPieces, .malformed: false
    }
  }

  private static func method(named name: UnsafePointer<CChar>) -> HTTPRequest.Method? {
    if strcmp(name, "POST") == 0 { return .post }
    if strcmp(name, "GET") == 0 { return .get }
    if strcmp(name, "HEAD") == 0 { return .head }
    return HTTPRequest.Method(String(cString: name))
  }

  /// How much memory the head takes, about as libmicrohttpd counts it: its bytes, and a record for
  /// each field.
  var memoryBytes: Int {
    targetBytes + fields.byteCount + 64 * fields.count
  }

  /// How much of it the target takes.
  var targetBytes: Int {
    target.utf8.count + query.byteCount + 64 * query.count
  }

  /// The path: what follows the host where the target is a whole URL, as a proxy is sent it and a
  /// server has to understand (RFC 9112 §3.2.2).
  ///
  /// `nil` when the target is none of its forms, or names another host than `Host`: the one in front
  /// may have looked at the one, and the service at the other.
  var path: String? {
    let bytes = target.utf8
    if bytes.first == UInt8(ascii: "/") || target == "*" { return target }
    guard let schemeEnd = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
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

/// Collects the pairs of a request from libmicrohttpd.
struct PairCollector {
  /// The pairs of the query.
  private(set) var query = FieldList()
  /// The header fields.
  private(set) var fields = FieldList()
  /// Where the records begin that libmicrohttpd has put at the end of the connection's memory.
  private(set) var memoryEnd: UnsafePointer<CChar>?

  /// Takes a pair.
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
      // The copy that libmicrohttpd has made of the marker's value; one record lies below it.
      memoryEnd = name.baseAddress.map { $0 - 64 }
    }
  }
}
