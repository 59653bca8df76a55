internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals

/// The target of a request as the client sent it, before libmicrohttpd splits it.
struct RequestTarget {
  /// The length of the target with its query, in bytes.
  let byteCount: Int
  /// Why libmicrohttpd should not see the rest of the request; `nil` for most requests.
  let problem: ProblemDetails?

  /// Reads a target (`MHD_OPTION_URI_LOG_CALLBACK`), which ends with a NUL.
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

  /// Adds the marker to a request; the corresponding C function is `MHD_set_connection_value`.
  static func add(to connection: OpaquePointer) {
    MHD_set_connection_value(connection, .HEADER_KIND, name, value)
  }

  /// Returns whether a field is the marker itself, by the address of its name.
  static func isMarker(_ name: UnsafePointer<CChar>?) -> Bool { name == Self.name }
}
