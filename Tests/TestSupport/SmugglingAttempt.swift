/// A request that two programs can parse differently, so that one of them may treat the following
/// bytes as another request (RFC 9112 §11.2).
package struct SmugglingAttempt: Sendable, CustomStringConvertible {
  /// A description of the trick.
  package let name: String
  /// The request without the request hidden behind it.
  package let request: String
  /// Whether the request itself is valid, so that only the hidden request must not be processed.
  package let isValid: Bool

  /// The description of the trick, for the test log.
  package var description: String { name }

  private init(_ name: String, _ request: String, isValid: Bool = false) {
    self.name = name
    self.request = request
    self.isValid = isValid
  }

  private static func head(_ name: String, _ fields: String) -> SmugglingAttempt {
    SmugglingAttempt(name, "POST /first HTTP/1.1\r\nHost: a\(fields)\r\n\r\n")
  }

  private static func chunks(_ name: String, _ body: String, isValid: Bool) -> SmugglingAttempt {
    let head = "POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    return SmugglingAttempt(name, head + body, isValid: isValid)
  }

  /// The tricks in the request head.
  package static let heads: [SmugglingAttempt] = [
    head("a NUL in a length", "\r\nContent-Length: 0\0 39"),
    head("a NUL at the end of a length", "\r\nContent-Length: 0\0"),
    head("a NUL before a length", "\r\nContent-Length: \u{0}39"),
    head("a NUL before a bare LF", "\r\nX: y\0\nContent-Length: 39"),
    head("a NUL in a value", "\r\nX: y\0z"),
    head("a NUL in a name", "\r\nX\0Y: z"),
    head("a line that begins with a NUL", "\r\n\0Content-Length: 39"),
    head("a line with only a NUL", "\r\n\0"),
    SmugglingAttempt("a NUL in the target", "GET /first\0?a HTTP/1.1\r\nHost: a\r\n\r\n"),
    SmugglingAttempt("a NUL in the query", "GET /first?a\0b=c HTTP/1.1\r\nHost: a\r\n\r\n"),
    SmugglingAttempt("a NUL in the method", "GET\0X /first HTTP/1.1\r\nHost: a\r\n\r\n"),
    SmugglingAttempt("a bare LF after the request line", "GET /first HTTP/1.1\nHost: a\r\n\r\n"),
    SmugglingAttempt("bare LFs everywhere", "GET /first HTTP/1.1\nHost: a\n\n"),
    head("a bare LF between fields", "\nX: y"),
    head("a bare LF before the empty line", "\r\nX: y\n"),
    head("a bare CR in a value", "\r\nX: y\rContent-Length: 39"),
    head("a bare CR between fields", "\rTransfer-Encoding: chunked"),
    head("two CRs before the LF", "\r\nX: y\r"),
    head("a folded encoding", "\r\nTransfer-Encoding:\r\n chunked"),
    head("a folded length", "\r\nContent-Length:\r\n\t39"),
    head("a folded host", "\r\n b"),
    head("a fold with only a space", "\r\n "),
    head("a fold before the first field", "\r\nX: y\r\n Content-Length: 39"),
    SmugglingAttempt("a space before the first field", "GET /first HTTP/1.1\r\n Host: a\r\n\r\n"),
    head("a line that begins with a colon", "\r\n: x\r\nContent-Length: 39"),
    head("a line with only a colon", "\r\n:"),
    SmugglingAttempt("a colon in the first line", "GET /first HTTP/1.1\r\n: x\r\nHost: a\r\n\r\n"),
    head("a line without a colon", "\r\nContent-Length"),
    head("a control character in a value", "\r\nX: \u{1}"),
    head("a backspace in an encoding", "\r\nTransfer-Encoding: chun\u{8}ked"),
    head("a vertical tab before an encoding", "\r\nTransfer-Encoding: \u{b}chunked"),
    head("a form feed after a length", "\r\nContent-Length: 39\u{c}"),
    head("a DEL in a value", "\r\nX: \u{7F}"),
    head("a space before the colon", "\r\nContent-Length : 39"),
    head("a tab before the colon", "\r\nTransfer-Encoding\t: chunked"),
    head("an invalid field name", "\r\nTransfer-Encoding(: chunked"),
    head("a vertical tab in a name", "\r\n\u{b}Transfer-Encoding: chunked"),
    head("two lengths", "\r\nContent-Length: 0\r\nContent-Length: 39"),
    head("two equal lengths", "\r\nContent-Length: 39\r\nContent-Length: 39"),
    head("a list of lengths", "\r\nContent-Length: 0, 39"),
    head("a length with a plus", "\r\nContent-Length: +39"),
    head("a negative length", "\r\nContent-Length: -39"),
    head("a hexadecimal length", "\r\nContent-Length: 0x27"),
    head("a length of more than 64 bits", "\r\nContent-Length: 18446744073709551655"),
    head("an empty length", "\r\nContent-Length:"),
    head("a length and chunks", "\r\nContent-Length: 39\r\nTransfer-Encoding: chunked"),
    head("chunks and a length", "\r\nTransfer-Encoding: chunked\r\nContent-Length: 39"),
    head("two encodings", "\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
    head("another encoding", "\r\nTransfer-Encoding: gzip, chunked"),
    head("an encoding in quotes", "\r\nTransfer-Encoding: \"chunked\""),
    head("two hosts", "\r\nHost: b"),
    SmugglingAttempt(
      "chunks in HTTP/1.0", "POST /first HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
  ]

  /// The tricks that libmicrohttpd 0.9.75 takes for the end of a head, as long as that is.
  package static let ends: [SmugglingAttempt] = [
    head("a bare LF and a line with only a NUL", "\n\0"),
    head("a line with only a colon after a bare LF", "\n:"),
    head("a line with only a colon before a bare LF", "\r\n:\nX: y"),
  ]

  /// The tricks in the chunks of a body.
  package static let bodies: [SmugglingAttempt] = [
    chunks("a negative chunk size", "-1\r\n", isValid: false),
    chunks("a chunk size with a prefix", "0x4\r\nabcd\r\n0\r\n\r\n", isValid: false),
    chunks("a chunk size of more than 64 bits", "10000000000000000\r\nabc", isValid: false),
    chunks("a space before the chunk size", " 4\r\nabcd\r\n0\r\n\r\n", isValid: false),
    chunks("a space after the chunk size", "4 \r\nabcd\r\n0\r\n\r\n", isValid: false),
    chunks("an invalid chunk size", "g\r\n", isValid: false),
    chunks("an empty chunk size", "\r\n0\r\n\r\n", isValid: false),
    chunks("a chunk longer than its size", "2\r\nabc\r\n0\r\n\r\n", isValid: false),
    chunks("a chunk without its line end", "2\r\nab0\r\n\r\n", isValid: false),
    chunks("an extension", "2;a=b\r\nab\r\n0\r\n\r\n", isValid: true),
    chunks("an extension with a bare LF", "2;a\nab\r\n0\r\n\r\n", isValid: true),
    chunks("an extension with a bare CR", "2;a\rb\r\nab\r\n0\r\n\r\n", isValid: true),
    chunks("bare LFs around a chunk", "2\nab\n0\n\n", isValid: true),
    chunks("a length among the trailers", "0\r\nContent-Length: 39\r\n\r\n", isValid: true),
    chunks("a colon among the trailers", "0\r\nX: y\r\n:\r\n", isValid: true),
    chunks("a whole body", "2\r\nab\r\n0\r\n\r\n", isValid: true),
  ]
}
