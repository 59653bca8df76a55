/// A line of a conversation with a relay, for the operator.
package enum SMTPTranscriptLine: Hashable, Sendable {
  /// A command, or the size of the message.
  case sent(String)
  /// A line of a reply.
  case received(String)

  /// Returns a command, without its line end, whose credentials are hidden: AUTH keeps its first
  /// two words, and each line after it becomes `***`.
  static func command(_ line: String, isAuthenticating: Bool) -> SMTPTranscriptLine {
    guard isAuthenticating else { return .sent(line) }
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.first == "AUTH", words.count >= 2 else { return .sent("***") }
    return .sent(words.count == 2 ? line : "AUTH \(words[1]) ***")
  }

  /// Returns a line of a reply, without its line end; the challenge of a reply to AUTH is hidden,
  /// because it may contain the user.
  static func reply(_ line: String, isAuthenticating: Bool) -> SMTPTranscriptLine {
    .received(isAuthenticating && line.hasPrefix("334") ? "334 ***" : line)
  }
}

extension SMTPTranscriptLine: CustomStringConvertible {
  /// The line with its direction as a prefix: `> ` to the relay, `< ` from it.
  package var description: String {
    switch self {
    case .sent(let line): "> \(line)"
    case .received(let line): "< \(line)"
    }
  }
}
