/// A line of a conversation with a relay, for the operator.
package enum SMTPTranscriptLine: Hashable, Sendable {
  /// A command, or the size of the message.
  case sent(String)
  /// A line of a reply.
  case received(String)

  /// Hides the credentials of a command or a reply.
  ///
  /// - Parameter line: A command without its line end.
  /// - Returns: The command; only its first two words if it is AUTH, and nothing else of what
  ///   follows AUTH.
  static func command(_ line: String, isAuthenticating: Bool) -> SMTPTranscriptLine {
    guard isAuthenticating else { return .sent(line) }
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.first == "AUTH", words.count >= 2 else { return .sent("***") }
    return .sent(words.count == 2 ? line : "AUTH \(words[1]) ***")
  }

  /// Hides the challenge of a reply to AUTH, which may contain the user.
  ///
  /// - Parameter line: A line of a reply without its line end.
  static func reply(_ line: String, isAuthenticating: Bool) -> SMTPTranscriptLine {
    .received(isAuthenticating && line.hasPrefix("334") ? "334 ***" : line)
  }
}

extension SMTPTranscriptLine: CustomStringConvertible {
  /// The line after the direction: `> ` to the relay, `< ` from it.
  package var description: String {
    switch self {
    case .sent(let line): "> \(line)"
    case .received(let line): "< \(line)"
    }
  }
}
