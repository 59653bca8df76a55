internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes
internal import Platform

/// The head of a request (RFC 9112 §2.1).
///
/// A class, because a structure with that many references would be copied at each use.
final class RequestHead {
  /// The method; `nil` if it is not a token (RFC 9110 §9.1).
  let method: HTTPRequest.Method?
  /// The request target up to the query (RFC 9112 §3.2).
  let target: String
  /// Whether the version is HTTP/1.0, which has no chunks and does not require `Host`.
  let isHTTP10: Bool
  let query: FieldList
  let fields: FieldList
  /// The size as it was sent, in bytes.
  let byteCount: Int
  /// Whether no value of a field contains control characters other than tab (RFC 9110 §5.5), and
  /// nothing is hidden between the parts.
  let isWellFormed: Bool

  /// Reads the head of a request; `version` is `HTTP/1.1`, for example.
  init(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>, targetByteCount: Int
  ) {
    self.method = Self.method(named: method)
    target = String(cString: url)
    isHTTP10 = strcmp(version, "HTTP/1.0") == 0
    byteCount = cmicrohttpd_head_size(connection)
    var pairs = HeadPairs(
      layout: HeadLayout(
        method: method, target: url, targetByteCount: targetByteCount, version: version,
        headByteCount: byteCount))
    withUnsafeMutablePointer(to: &pairs) { cmicrohttpd_pairs(connection, pairHandler, $0) }
    query = pairs.query
    fields = pairs.fields
    isWellFormed = pairs.areWellFormed && pairs.layout?.isUnbroken ?? true
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
  var memoryBytes: Int { targetBytes + fields.byteCount + 64 * fields.count }

  /// The memory of the target in bytes, as part of ``memoryBytes``.
  var targetBytes: Int { target.utf8.count + query.byteCount + 64 * query.count }

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
    else { return nil }
    return authority.endIndex < target.endIndex ? String(target[authority.endIndex...]) : "/"
  }
}

/// The header fields and the query pairs of a head, as libmicrohttpd reports them.
private struct HeadPairs {
  var query = FieldList()
  var fields = FieldList()
  var areWellFormed = true
  /// The check that the parts lie next to each other; `nil` if libmicrohttpd makes it.
  var layout: HeadLayout?

  /// Adds a header field or a query pair; skips the marker of `CookieMarker`.
  mutating func add(
    _ kind: MHD_ValueKind, name: UnsafeBufferPointer<CChar>, value: UnsafeBufferPointer<CChar>
  ) {
    guard kind == .HEADER_KIND else {
      return query.append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
    }
    guard !CookieMarker.isMarker(name.baseAddress) else { return }
    fields.append(
      name: UnsafeRawBufferPointer(name),
      value: UnsafeRawBufferPointer(Self.withoutWhiteSpace(value, of: name)))
    areWellFormed = areWellFormed && Self.isWellFormed(UnsafeRawBufferPointer(value))
    layout?.add(name: name, value: value)
  }

  /// Returns whether a value has no control characters other than tab.
  private static func isWellFormed(_ value: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index + 8 <= value.count {
      let word = value.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word.controlBytes() != 0 { break }
      index += 8
    }
    // The rest, or what follows a tab.
    return value[index...].allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  /// Returns a value without the white space after it, which is not part of it (RFC 9110 §5.5);
  /// libmicrohttpd skips only that before a value.
  ///
  /// In an encoding it remains, and the request is rejected: 0.9 does not recognize `chunked` then.
  private static func withoutWhiteSpace(
    _ value: UnsafeBufferPointer<CChar>, of name: UnsafeBufferPointer<CChar>
  ) -> UnsafeBufferPointer<CChar> {
    var value = value
    while let last = value.last, last == 0x20 || last == 0x09 {
      if name.baseAddress.map({ strcasecmp($0, "transfer-encoding") }) == 0 { return value }
      value = UnsafeBufferPointer(rebasing: value.dropLast())
    }
    return value
  }
}

/// Adds a header field or a query pair to ``HeadPairs`` (`MHD_KeyValueIteratorN`).
private let pairHandler: MHD_KeyValueIteratorN = {
  closure,
  kind,
  name,
  nameSize,
  value,
  valueSize in
  guard let closure else { return .NO }
  // The pairs that are being read are valid during the call.
  closure.assumingMemoryBound(to: HeadPairs.self).pointee.add(
    kind, name: UnsafeBufferPointer(start: name, count: name == nil ? 0 : nameSize),
    value: UnsafeBufferPointer(start: value, count: value == nil ? 0 : valueSize))
  return .YES
}

/// A check that the parts of a head lie next to each other, for libmicrohttpd 0.9 only: when Debian
/// 12 is no longer supported, delete this type and what does not compile without it.
///
/// libmicrohttpd 1.0 rejects ambiguous heads. 0.9 parses a head in place and skips what it does not
/// understand: bytes after a NUL, folded lines, the rest of a head after a line that begins with a
/// colon. That leaves gaps between the strings that it reports. Only the addresses of those strings
/// are compared, and nothing is read at them, so a release that copied its strings would get every
/// request rejected and do no other harm.
struct HeadLayout {
  private let headEnd: UnsafePointer<CChar>
  /// The end of the latest part.
  private var end: UnsafePointer<CChar>
  private var hasGap: Bool

  /// Begins with the request line, whose parts are separated by one space each (RFC 9112 §3); `nil`
  /// if libmicrohttpd makes the check itself.
  init?(
    method: UnsafePointer<CChar>, target: UnsafePointer<CChar>, targetByteCount: Int,
    version: UnsafePointer<CChar>, headByteCount: Int
  ) {
    guard !cmicrohttpd_is_strict() else { return nil }
    headEnd = method + headByteCount
    end = version + strlen(version)
    hasGap = target != method + strlen(method) + 1 || version != target + targetByteCount + 1
  }

  /// Adds the next field: `CR LF` precedes its name, and at least a colon follows it.
  mutating func add(name: UnsafeBufferPointer<CChar>, value: UnsafeBufferPointer<CChar>) {
    guard let nameStart = name.baseAddress, let valueStart = value.baseAddress,
      nameStart == end + 2, valueStart > nameStart + name.count
    else { return hasGap = true }
    end = valueStart + value.count
  }

  /// Whether nothing but line ends lies between the parts and before the end of the head.
  var isUnbroken: Bool { !hasGap && headEnd == end + 4 }
}

/// The target of a request as the client sent it, before libmicrohttpd splits it.
struct RequestTarget {
  /// The length of the target with its query, in bytes.
  let byteCount: Int
  /// Why libmicrohttpd should not see the rest of the request; `nil` for most requests.
  let problem: ProblemDetails?

  /// Reads a target, which ends with a NUL.
  init(_ target: UnsafePointer<CChar>, _ limits: RequestLimits) {
    byteCount = strlen(target)
    let bytes = UnsafeBufferPointer(start: target, count: byteCount)
    // 0.9.75 sends no response at all if it has no memory for all pairs of a query.
    let pairEnds = bytes.drop { $0 != Self.questionMark }.count { $0 == Self.ampersand }
    if !bytes.allSatisfy({ (0x21...0x7E).contains($0) }) {
      problem = .malformedRequest(.targetByte)
    } else if byteCount > limits.maximumHeadBytes / 2
      || pairEnds >= RequestLimits.maximumPairCount
    {
      problem = .targetTooLong
    } else {
      problem = nil
    }
  }

  private static let questionMark = CChar(bitPattern: UInt8(ascii: "?"))
  private static let ampersand = CChar(bitPattern: UInt8(ascii: "&"))
}

/// An empty `Cookie` field that precedes the fields of each request.
///
/// libmicrohttpd copies and parses the first `Cookie` field in the memory of the connection, where a
/// long one leaves no room for a response. The service does not use cookies.
enum CookieMarker {
  // Never modified and never freed: libmicrohttpd keeps the pointers.
  nonisolated(unsafe) private static let name: UnsafePointer<CChar>? = UnsafePointer(
    strdup("Cookie"))
  // As above.
  nonisolated(unsafe) private static let value: UnsafePointer<CChar>? = UnsafePointer(strdup(""))

  static func add(to connection: OpaquePointer) {
    MHD_set_connection_value(connection, .HEADER_KIND, name, value)
  }

  /// Returns whether a field is the marker itself, by the address of its name.
  static func isMarker(_ name: UnsafePointer<CChar>?) -> Bool { name == Self.name }
}

// MARK: Validation

// libmicrohttpd accepts ambiguous heads, 0.9 more of them than 1.0. A proxy in front and the server
// behind it may read such a head in different ways and disagree about where the request ends:
// request smuggling (RFC 9112 §11.2). An ambiguous request is rejected and its connection closed,
// so that no byte of the rest is read as another request.

extension RequestHead {
  /// Whether enough memory of the connection remains for the head of any response.
  func leavesRoomForResponse(_ limits: RequestLimits) -> Bool {
    max(byteCount, memoryBytes) <= limits.maximumHeadBytes
      && fields.count + query.count <= RequestLimits.maximumPairCount
  }

  /// Returns the first problem that was found; `nil` for a valid and unambiguous head.
  func problem(_ limits: RequestLimits) -> ProblemDetails? {
    guard targetBytes <= limits.maximumHeadBytes / 2 else { return .targetTooLong }
    guard method != nil else { return .malformedRequest(.method) }
    // With a space before its colon, a name differs from the one that another program reads.
    guard fields.namesAreTokens else { return .malformedRequest(.fieldName) }
    guard isWellFormed else { return .malformedRequest(.headByte) }
    let lengthCount = fields.count(of: .contentLength)
    guard lengthCount <= 1 else { return .malformedRequest(.severalContentLengths) }
    let encodings = fields.values(of: .transferEncoding)
    if let encoding = encodings.first {
      guard encodings.count == 1, encoding.lowercased() == "chunked", !isHTTP10 else {
        return .malformedRequest(.transferEncoding)
      }
      guard lengthCount == 0 else { return .malformedRequest(.lengthAndEncoding) }
    }
    switch fields.count(of: .hostField) {
    case 0 where isHTTP10: break
    case 1 where fields.first(.hostField)?.isEmpty == false: break
    default: return .malformedRequest(.host)
    }
    // An expectation in an HTTP/1.0 request must be ignored (RFC 9110 §10.1.1).
    guard isHTTP10 || fields.values(of: .expect).allSatisfy({ $0.lowercased() == "100-continue" })
    else { return .expectationFailed }
    return nil
  }
}
