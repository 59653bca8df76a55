internal import Glibc
internal import HTTPSignals
internal import HTTPTypes

/// A problem as bytes of HTTP/1.1 (RFC 9112), for connections on which libmicrohttpd cannot be
/// asked to answer.
struct RawResponse {
  /// Head and content; the connection is closed behind them.
  let bytes: [UInt8]

  /// Writes an answer.
  ///
  /// - Parameter problem: What is wrong.
  init(_ problem: ProblemDetails) {
    let response = problem.response
    let content: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
    var head = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
    head += "Date: \(Self.date())\r\n"
    for field in response.fields { head += "\(field.name.rawName): \(field.value)\r\n" }
    head += "X-Content-Type-Options: nosniff\r\nConnection: close\r\n"
    head += "Content-Length: \(content.count)\r\n\r\n"
    bytes = Array(head.utf8) + content
  }

  /// The time of RFC 9110 §5.6.7; the corresponding C function is `strftime`, in the C locale, which
  /// this program never leaves.
  private static func date() -> String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
