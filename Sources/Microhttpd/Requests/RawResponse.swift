internal import Glibc
internal import HTTPSignals
internal import HTTPTypes

/// A problem as a complete HTTP/1.1 response (RFC 9112), for connections on which libmicrohttpd
/// cannot send a response.
struct RawResponse {
  /// The head and the content; the connection must be closed after them.
  let bytes: [UInt8]

  init(_ problem: ProblemDetails, _ policy: any ResponsePolicy) {
    let response = policy.response(for: problem, to: nil)
    let content: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
    var head = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
    head += "Date: \(Self.date())\r\n"
    for (name, value) in response.fields.pairs { head += "\(name): \(value)\r\n" }
    head += "X-Content-Type-Options: nosniff\r\nConnection: close\r\n"
    head += "Content-Length: \(content.count)\r\n\r\n"
    bytes = Array(head.utf8) + content
  }

  /// Formats the current time as RFC 9110 §5.6.7 requires.
  ///
  /// The corresponding C function is `strftime`, in the C locale; this program never sets another.
  private static func date() -> String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
