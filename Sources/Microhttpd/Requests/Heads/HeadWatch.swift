internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals

/// Watches heads arrive at one event loop: what libmicrohttpd 0.9.75 has parsed no longer shows what
/// was sent, and some of what it rejects it answers with two heads.
///
/// It sees the raw head when the request line has been parsed (`MHD_OPTION_URI_LOG_CALLBACK`). The
/// access handler is called in the same turn of the loop if all of the head had arrived by then,
/// since a connection is read once a turn; otherwise part of it was never seen raw.
// Used on the loop's thread only.
final class HeadWatch {
  /// What is known about a head when all of it has been parsed.
  enum Finding {
    /// All of it was seen raw, and is well-formed, the field lines and what ends them.
    case wellFormed
    /// It was seen, and can be read in more than one way.
    case malformed
    /// Some of it arrived later.
    case inPieces
  }

  /// How many fields and pairs of a query libmicrohttpd can take in without running out of memory
  /// behind as many bytes as it reads at once, and the head of a short response; it takes 64 bytes for
  /// each.
  private static let maximumPairCount = 100

  private let loop: EventLoop
  private let maximumHeadBytes: Int
  private let maximumBodyBytes: Int
  /// Whose request line was parsed last, and whose head has not been handled yet.
  private var latest: OpaquePointer?
  private var latestTurn: UInt64 = 0
  private var latestEnd: UnsafePointer<UInt8>?
  /// Those whose head is arriving in pieces.
  private var partial: Set<OpaquePointer> = []

  /// Makes a watch that has seen nothing.
  ///
  /// - Parameters:
  ///   - loop: The loop whose turns count.
  ///   - configuration: The limits.
  init(loop: EventLoop, _ configuration: Daemon.Configuration) {
    self.loop = loop
    maximumHeadBytes = configuration.maximumHeadBytes
    maximumBodyBytes = configuration.maximumBodyBytes
  }

  /// A request line has arrived, with what came behind it.
  ///
  /// - Parameters:
  ///   - target: The target with the query; a NUL was written over the space behind it.
  ///   - connection: Whose it is.
  /// - Returns: Why the head need not be parsed, because libmicrohttpd could not.
  func requestLineArrived(
    _ target: UnsafePointer<CChar>,
    of connection: OpaquePointer
  ) -> ProblemDetails? {
    if let latest { partial.insert(latest) }
    latest = connection
    latestTurn = loop.turn
    latestEnd = nil
    // The record of the marker is at the end of the connection's memory, and has NULs in it, so what
    // looks for a NUL finds one before that memory ends.
    guard CookieMarker.add(to: connection) else { return .fieldsTooLarge }
    var pairCount = 0
    var cursor = UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self)
    while cursor.pointee != 0 {
      if cursor.pointee == UInt8(ascii: "&") { pairCount += 1 }
      cursor += 1
    }
    guard pairCount <= Self.maximumPairCount else { return .targetTooLong }
    // The version, 8 bytes, of which libmicrohttpd has made sure, and `CR LF`.
    guard cursor[1] == UInt8(ascii: "H"), cursor[9] == 0, cursor[10] == 0 else { return nil }
    let scan = RawFields.scan(cursor + 11)
    guard pairCount + scan.lineCount <= Self.maximumPairCount else {
      return pairCount > Daemon.Configuration.maximumPairCount ? .targetTooLong : .fieldsTooLarge
    }
    latestEnd = scan.end
    // One that is whole gets its response in the usual way; what is left of another is not waited for.
    let targetBytes = UnsafeRawPointer(cursor) - UnsafeRawPointer(target)
    return scan.end == nil && targetBytes > maximumHeadBytes / 2 ? .targetTooLong : nil
  }

  /// All of a head has been parsed.
  ///
  /// - Parameters:
  ///   - connection: Whose it is.
  ///   - end: The first byte after it.
  /// - Returns: What is known about it.
  func headArrived(of connection: OpaquePointer, end: UnsafePointer<CChar>) -> Finding {
    guard latest == connection, latestTurn == loop.turn else {
      forget(connection)
      return .inPieces
    }
    latest = nil
    return latestEnd.map { UnsafeRawPointer($0) } == UnsafeRawPointer(end)
      ? .wellFormed : .malformed
  }

  /// A connection is closed.
  func forget(_ connection: OpaquePointer) {
    if latest == connection { latest = nil }
    if !partial.isEmpty { partial.remove(connection) }
  }

  /// Finds the connections whose head libmicrohttpd is about to reject with two heads, or with a
  /// page of its own, in its own words.
  ///
  /// - Parameter message: What it has just logged.
  /// - Returns: The connections to close instead, and what is wrong.
  func rejected(_ message: String) -> (connections: [OpaquePointer], problem: ProblemDetails)? {
    guard latest != nil || !partial.isEmpty else { return nil }
    let heads = partial.union(latest.map { [$0] } ?? [])
    // Only the one that is being parsed has a whole head that was not handled.
    if message.hasPrefix("Failed to parse `Content-Length'") {
      let whole = heads.filter { cmicrohttpd_head_size($0) > 0 }
      return (Array(whole), .malformedRequest("Content-Length is no number of bytes."))
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

/// An empty `Cookie` that is put before the fields of each request.
///
/// libmicrohttpd copies and parses the first `Cookie` there is, in the memory of the connection, and
/// responds with two heads when that is too small. Nobody asks for cookies here.
enum CookieMarker {
  // Never written to, and never freed: libmicrohttpd keeps the pointers.
  nonisolated(unsafe) private static let name: UnsafePointer<CChar>? = UnsafePointer(
    strdup("Cookie")
  )
  // As above.
  nonisolated(unsafe) private static let value: UnsafePointer<CChar>? = UnsafePointer(strdup(""))

  /// Adds it; the corresponding C function is `MHD_set_connection_value`.
  ///
  /// - Returns: Whether there was memory for it.
  static func add(to connection: OpaquePointer) -> Bool {
    MHD_set_connection_value(connection, .HEADER_KIND, name, value) == .YES
  }

  /// Whether the name of a field is that of the marker itself.
  static func isMarker(_ name: UnsafePointer<CChar>?) -> Bool { name == Self.name }
}
