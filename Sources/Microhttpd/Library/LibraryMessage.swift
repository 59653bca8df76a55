/// A message of libmicrohttpd, and what the log makes of it.
///
/// Its messages about a single connection are written by whoever is at the other end, as often as
/// they like; they are for debugging only. What concerns the daemon as a whole is counted.
struct LibraryMessage {
  /// What is to be counted; `nil` when the message is about a single connection that the client or
  /// the network has ended.
  let kind: RejectionKind?
  /// The message, on one line and without what a client has sent.
  let text: String

  /// Reads a message.
  ///
  /// It may name a request by its path between quotes. The path may be a secret, so it is left out.
  ///
  /// - Parameter message: What libmicrohttpd says.
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
      // The status follows; what is below 500 is the client's.
      return message.dropFirst(errorResponse.count).first == "4" ? .malformedRequest : .library
    }
    if aboutOneConnection.contains(where: { message.hasPrefix($0) }) { return nil }
    return aboutAccepting.contains { message.hasPrefix($0) } ? .accept : .library
  }

  /// How libmicrohttpd begins to tell that it responds with an error of its own.
  private static let errorResponse = "Error processing request (HTTP response code is "

  private static let aboutAccepting = [
    "Error accepting connection", "Failed to start serving new connection",
    "Hit process or system resource limit", "Server reached connection limit",
  ]

  /// How its messages about single connections begin: those of `connection.c` and `connection_https.c`
  /// in 0.9.75, and what it says of sockets whose peer is gone.
  private static let aboutOneConnection = [
    "Application reported internal error, closing connection", "Closing connection", "Connection ",
    "Error: received handshake message out of context", "Failed to create error response",
    "Failed to parse", "Failed to push the data", "Failed to send",
    "Not enough memory in pool", "Received HTTP/1.1 request without",
    "Setting ", "Socket has been disconnected", "The connection was forcibly closed",
    "Too large value of", "Too late",
  ]
}
