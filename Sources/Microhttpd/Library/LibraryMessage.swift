/// A message of libmicrohttpd, prepared for the log.
///
/// Any client can cause messages about its connection, as often as it likes, so they are only
/// logged for debugging. Messages about the daemon as a whole are counted.
struct LibraryMessage {
  /// The kind of rejection to count; `nil` for a message about a single connection that the client
  /// or the network has ended.
  let kind: RejectionKind?
  /// The message on one line, without quoted request data.
  let text: String

  /// Parses a message.
  ///
  /// A message may quote the path of a request. The path may contain a secret, so it is removed.
  init(_ message: String) {
    kind = Self.kind(of: message)
    var text = message.filter { !$0.isNewline }
    if let opening = text.firstIndex(of: "`"), let closing = text.lastIndex(of: "'"),
      opening < closing
    {
      text.replaceSubrange(opening...closing, with: "a path")
    }
    self.text = text
  }

  private static func kind(of message: String) -> RejectionKind? {
    if message.hasPrefix(errorResponse) {
      // The status follows; the client is responsible for those below 500, and for the version.
      let status = message.dropFirst(errorResponse.count).prefix(3)
      return status.first == "4" || status == "505" ? .malformedRequest : .library
    }
    if aboutOneConnection.contains(where: { message.hasPrefix($0) }) { return nil }
    return aboutAccepting.contains { message.hasPrefix($0) } ? .accept : .library
  }

  /// The prefix of the message about a response with libmicrohttpd's own error page.
  private static let errorResponse = "Error processing request (HTTP response code is "

  private static let aboutAccepting = [
    "Error accepting connection", "Failed to start serving new connection",
    "Hit process or system resource limit", "Server reached connection limit",
  ]

  /// The prefixes of messages about single connections: those of `connection.c` and
  /// `connection_https.c` in 0.9.75, and those about sockets whose peer has left.
  private static let aboutOneConnection = [
    "Application reported internal error, closing connection", "Closing connection", "Connection ",
    "Error: received handshake message out of context", "Failed to create error response",
    "Failed to parse", "Failed to push the data", "Failed to send",
    "Not enough memory in pool", "Received HTTP/1.1 request without",
    "Setting ", "Socket has been disconnected", "The connection was forcibly closed",
    "Too large value of", "Too late",
  ]
}
