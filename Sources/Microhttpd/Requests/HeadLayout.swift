internal import CMicrohttpd
internal import Glibc

/// A check that the parts of a head lie next to each other, for libmicrohttpd 0.9 only: when Debian
/// 12 is no longer supported, delete this file and what does not compile without it.
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
