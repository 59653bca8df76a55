/// A block of an event stream, as it came.
package struct EventBlock: Hashable, Sendable {
  /// `id`, if there is one.
  package var id: String?
  /// `event`, if there is one.
  package var event: String?
  /// The lines of `data`, joined.
  package var data: String?
  /// `retry`, if there is one.
  package var retry: String?
  /// The comments, each without its colon: a heartbeat is an empty one.
  package var comments: [String] = []
  /// All of its lines, as they came.
  package var lines: [String] = []
}

extension SocketClient {
  /// Reads one line of an event stream, whose head was read before.
  ///
  /// - Parameter deadline: By when it must have come.
  /// - Returns: The line without its end; `nil` when the stream has ended.
  /// - Throws: `TestSystemError`; `.closed` when it ends within a line.
  package func readEventLine(by deadline: Deadline = .soon) throws(TestSystemError) -> String? {
    while true {
      if let end = decoded.firstIndex(of: 10) {
        let line = String(decoding: decoded[..<end], as: UTF8.self)
        decoded.removeFirst(end + 1)
        return line
      }
      guard let piece = try readBody(by: deadline) else {
        guard decoded.isEmpty else { throw .closed }
        return nil
      }
      decoded += piece
    }
  }

  /// Reads one block of an event stream: all lines up to an empty one.
  ///
  /// Comments and `retry` that stand before a block without an empty line between belong to it.
  ///
  /// - Parameter deadline: By when it must have come.
  /// - Returns: The block; `nil` when the stream has ended.
  /// - Throws: `TestSystemError`; `.closed` when it ends within a block that has fields.
  package func readEvent(by deadline: Deadline = .soon) throws(TestSystemError) -> EventBlock? {
    var block = EventBlock()
    while let line = try readEventLine(by: deadline) {
      if line.isEmpty { return block }
      block.lines.append(line)
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      var value = line[colon...].dropFirst()
      if value.first == " " { value.removeFirst() }
      switch line[..<colon] {
      case "": block.comments.append(String(value))
      case "id": block.id = String(value)
      case "event": block.event = String(value)
      case "retry": block.retry = String(value)
      case "data": block.data = (block.data.map { "\($0)\n" } ?? "") + value
      default: throw .malformed(line)
      }
    }
    guard block.id == nil, block.event == nil, block.data == nil else { throw .closed }
    return nil
  }
}
