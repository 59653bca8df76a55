extension Client {
  /// A block of an event stream as received (HTML Standard §9.2).
  package struct Event: Hashable, Sendable {
    package var id: String?
    package var event: String?
    /// The lines of `data`, joined.
    package var data: String?
    package var retry: String?
    /// The comments, each without its colon; a heartbeat is an empty comment.
    package var comments: [String] = []
    /// All lines as received.
    package var lines: [String] = []
  }

  /// Reads one line of an event stream after its head, without its line end.
  ///
  /// At the end of the stream it is `nil`; if the stream ends within a line, `.closed` is thrown.
  package func readEventLine(within time: Duration = patience) throws(TestSystemError) -> String? {
    while true {
      if let end = decoded.firstIndex(of: 10) {
        let line = String(decoding: decoded[..<end], as: UTF8.self)
        decoded.removeFirst(end + 1)
        return line
      }
      guard let piece = try readBody(within: time) else {
        guard decoded.isEmpty else { throw .closed }
        return nil
      }
      decoded += piece
    }
  }

  /// Reads one block of an event stream: all lines up to an empty one.
  ///
  /// At the end of the stream it is `nil`; if that is within a block with fields, `.closed` is thrown.
  /// Comments and `retry` directly before a block, without an empty line between, belong to it.
  package func readEvent(within time: Duration = patience) throws(TestSystemError) -> Event? {
    var block = Event()
    while let line = try readEventLine(within: time) {
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

  /// Reads the names of the next events, and skips blocks without one.
  package func readEventNames(_ count: Int) throws(TestSystemError) -> [String] {
    var names: [String] = []
    while names.count < count {
      guard let block = try readEvent() else { throw .closed }
      if let name = block.event { names.append(name) }
    }
    return names
  }
}
