internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals

/// A watch on the raw heads that arrive at one event loop.
///
/// The watch is needed for two reasons: heads that libmicrohttpd 0.9.75 has parsed no longer show
/// the bytes that were sent, and libmicrohttpd rejects some requests with a response that has two
/// heads.
///
/// The watch sees the raw head when the request line has been parsed
/// (`MHD_OPTION_URI_LOG_CALLBACK`). A connection is read once per turn of the loop, so the access
/// handler is called in the same turn if the complete head had arrived by then. Otherwise part of
/// the head was never seen raw.
// Used on the loop's thread only.
final class HeadWatch {
  enum Finding {
    /// The complete head was seen raw, and its field lines and their end are well-formed.
    case wellFormed
    /// The head was seen raw, and is ambiguous.
    case malformed
    /// Part of the head arrived later and was not seen raw.
    case inPieces
  }

  /// The maximum number of header fields and query pairs for which libmicrohttpd has memory, 64
  /// bytes for each.
  ///
  /// The rest of the memory holds the bytes that it reads at once, and the head of a short
  /// response.
  private static let maximumPairCount = 100

  /// Rejects a connection on which libmicrohttpd cannot handle the head of a request.
  var reject: (OpaquePointer, ProblemDetails) -> Void = { _, _ in }

  private let loop: EventLoop
  private let maximumHeadBytes: Int
  private let maximumBodyBytes: Int
  /// The connection whose request line was parsed last, if its head has not been handled yet.
  private var latest: OpaquePointer?
  private var latestTurn: UInt64 = 0
  private var latestEnd: UnsafePointer<UInt8>?
  /// The connections whose head is arriving in pieces.
  private var partial: Set<OpaquePointer> = []

  init(loop: EventLoop, _ limits: RequestLimits) {
    self.loop = loop
    maximumHeadBytes = limits.maximumHeadBytes
    maximumBodyBytes = limits.maximumBodyBytes
  }

  /// Scans the raw head: the request line has arrived, and possibly more.
  ///
  /// libmicrohttpd has replaced the space after the target with a NUL.
  func requestLineArrived(_ target: UnsafePointer<CChar>, of connection: OpaquePointer) {
    if let problem = scan(target, of: connection) { reject(connection, problem) }
  }

  /// Returns the problem with an invalid byte in the target (RFC 3986 §2) or with a head that
  /// libmicrohttpd could not parse; `nil` for any other head.
  private func scan(
    _ target: UnsafePointer<CChar>,
    of connection: OpaquePointer
  ) -> ProblemDetails? {
    if let latest { partial.insert(latest) }
    latest = connection
    latestTurn = loop.turn
    latestEnd = nil
    // The record of the marker is at the end of the connection's memory and contains NULs, so a
    // search for a NUL ends before the memory does.
    guard CookieMarker.add(to: connection) else { return .fieldsTooLarge }
    var pairCount = 0
    var cursor = UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self)
    while cursor.pointee != 0 {
      guard (0x21...0x7E).contains(cursor.pointee) else { return .malformedRequest(.targetByte) }
      if cursor.pointee == UInt8(ascii: "&") { pairCount += 1 }
      cursor += 1
    }
    guard pairCount <= Self.maximumPairCount else { return .targetTooLong }
    // The version, whose 8 bytes libmicrohttpd has checked, and `CR LF`.
    guard cursor[1] == UInt8(ascii: "H"), cursor[9] == 0, cursor[10] == 0 else { return nil }
    let scan = RawFields.scan(cursor + 11)
    guard pairCount + scan.lineCount <= Self.maximumPairCount else {
      return pairCount > RequestLimits.maximumPairCount ? .targetTooLong : .fieldsTooLarge
    }
    latestEnd = scan.end
    // A complete head gets its response in the usual way. Do not wait for the rest of an incomplete
    // head.
    let targetBytes = UnsafeRawPointer(cursor) - UnsafeRawPointer(target)
    return scan.end == nil && targetBytes > maximumHeadBytes / 2 ? .targetTooLong : nil
  }

  /// Ends the watch on a head that has been parsed completely.
  func headArrived(of connection: OpaquePointer, end: UnsafePointer<CChar>) -> Finding {
    guard latest == connection, latestTurn == loop.turn else {
      forget(connection)
      return .inPieces
    }
    latest = nil
    return latestEnd.map { UnsafeRawPointer($0) } == UnsafeRawPointer(end)
      ? .wellFormed : .malformed
  }

  func forget(_ connection: OpaquePointer) {
    if latest == connection { latest = nil }
    if !partial.isEmpty { partial.remove(connection) }
  }

  /// Rejects the connections whose request libmicrohttpd is about to reject itself, with two heads
  /// or with its own error page.
  func messageArrived(_ message: String) {
    guard let (connections, problem) = rejected(message) else { return }
    for connection in connections { reject(connection, problem) }
  }

  /// Finds the connections whose request libmicrohttpd is about to reject.
  private func rejected(_ message: String) -> (
    connections: [OpaquePointer], problem: ProblemDetails
  )? {
    guard latest != nil || !partial.isEmpty else { return nil }
    let heads = partial.union(latest.map { [$0] } ?? [])
    // Only the connection that is being parsed has a complete head that has not been handled.
    if message.hasPrefix("Failed to parse `Content-Length'") {
      let whole = heads.filter { cmicrohttpd_head_size($0) > 0 }
      return (Array(whole), .malformedRequest(.contentLength))
    }
    if message.hasPrefix("Too large value of 'Content-Length'") {
      let whole = heads.filter { cmicrohttpd_head_size($0) > 0 }
      return (Array(whole), .tooLarge(maximumBodyBytes: maximumBodyBytes))
    }
    if message.hasPrefix("Not enough memory in pool to") {
      let large = heads.filter { connection in
        MHD_get_connection_values(connection, .HEADER_KIND, nil, nil) > Self.maximumPairCount
      }
      return (Array(large), .fieldsTooLarge)
    }
    return nil
  }
}

/// Inspects the raw head once the request line has arrived (`MHD_OPTION_URI_LOG_CALLBACK`).
///
/// Its result is the request's context at the first call of the access handler: `nil`, since there
/// is no request yet.
let requestLineHandler:
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
  ) -> UnsafeMutableRawPointer? = { closure, target, connection in
    guard let closure, let target, let connection else { return nil }
    Unmanaged<HeadWatch>.fromOpaque(closure)._withUnsafeGuaranteedRef {
      $0.requestLineArrived(target, of: connection)
    }
    return nil
  }

/// An empty `Cookie` field that precedes the fields of each request.
///
/// libmicrohttpd copies and parses the first `Cookie` field in the memory of the connection, and
/// sends a response with two heads if that memory is too small. The service does not use cookies.
enum CookieMarker {
  // Never modified and never freed: libmicrohttpd keeps the pointers.
  nonisolated(unsafe) private static let name: UnsafePointer<CChar>? = UnsafePointer(
    strdup("Cookie")
  )
  // As above.
  nonisolated(unsafe) private static let value: UnsafePointer<CChar>? = UnsafePointer(strdup(""))

  /// Adds the marker to a request; the corresponding C function is `MHD_set_connection_value`.
  static func add(to connection: OpaquePointer) -> Bool {
    MHD_set_connection_value(connection, .HEADER_KIND, name, value) == .YES
  }

  /// Returns whether a field is the marker itself, by the address of its name.
  static func isMarker(_ name: UnsafePointer<CChar>?) -> Bool { name == Self.name }
}
