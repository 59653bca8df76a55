/// A block of an event stream as received.
package struct EventBlock: Hashable, Sendable {
  /// The value of `id`, if present.
  package var id: String?
  /// The value of `event`, if present.
  package var event: String?
  /// The lines of `data`, joined.
  package var data: String?
  /// The value of `retry`, if present.
  package var retry: String?
  /// The comments, each without its colon; a heartbeat is an empty comment.
  package var comments: [String] = []
  /// All lines as received.
  package var lines: [String] = []
}

extension SocketClient {
  /// Reads one line of an event stream after its head.
  ///
  /// - Parameter deadline: The time by which the line must arrive.
  /// - Returns: The line without its line end; `nil` at the end of the stream.
  /// - Throws: `TestSystemError`; `.closed` if the stream ends within a line.
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
  /// Comments and `retry` directly before a block, without an empty line between, belong to it.
  ///
  /// - Parameter deadline: The time by which the block must arrive.
  /// - Returns: The block; `nil` at the end of the stream.
  /// - Throws: `TestSystemError`; `.closed` if the stream ends within a block that has fields.
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

  /// Reads the next events, and skips blocks without one.
  ///
  /// - Parameter count: The number of events.
  /// - Returns: The values of `event`.
  /// - Throws: `TestSystemError`; `.closed` if the stream ends before.
  package func readEventNames(_ count: Int) throws(TestSystemError) -> [String] {
    var names: [String] = []
    while names.count < count {
      guard let block = try readEvent() else { throw .closed }
      if let name = block.event { names.append(name) }
    }
    return names
  }
}
