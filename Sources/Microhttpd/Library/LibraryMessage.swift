/// A message of libmicrohttpd, prepared for the log.
///
/// Any client can cause messages about its connection, as often as it likes, and each release words
/// them anew, so messages are only logged for debugging. Only those are counted that any release
/// begins in the same way.
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
    if aboutAccepting.contains(where: { message.hasPrefix($0) }) { return .accept }
    return message.hasPrefix("Call to ") ? .library : nil
  }

  /// The prefix of the message about a response with libmicrohttpd's own error page.
  private static let errorResponse = "Error processing request (HTTP response code is "

  private static let aboutAccepting = [
    "Error accepting connection", "Failed to start serving new connection",
    "Hit process or system resource limit", "Server reached connection limit",
  ]
}
