/// One block of an event stream; line breaks cannot get into its id or name.
///
/// WHATWG HTML §9.2.6 is the format.
package struct ServerSentEvent: Hashable, Sendable {
  /// A name that cannot break a block: `[A-Za-z0-9._-]`, at most 64 bytes.
  package struct Token: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    package let description: String

    /// Keeps of a text what a token may hold.
    ///
    /// - Parameter text: Anything.
    package init(_ text: some StringProtocol) {
      description = String(
        decoding: text.utf8.lazy.filter(Self.isAllowed).prefix(64),
        as: UTF8.self
      )
    }

    /// Whether a text is a token as it is.
    ///
    /// - Parameter text: Anything, also from a client.
    /// - Returns: Whether nothing would be left out.
    package static func isToken(_ text: String) -> Bool {
      (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  /// The id of an event: its position in a log, and which log that is.
  package struct ID: Hashable, Sendable, CustomStringConvertible {
    /// Names the log: a position means nothing in another one.
    package let epoch: Token
    /// The position; grows from event to event.
    package let position: UInt64

    /// Makes an id.
    ///
    /// - Parameters:
    ///   - epoch: Names the log.
    ///   - position: The position in it.
    package init(epoch: Token, position: UInt64) {
      self.epoch = epoch
      self.position = position
    }

    /// The id as it is sent, `k3f9a2c1-17`.
    package var description: String { "\(epoch)-\(position)" }
  }

  /// Where a client resumes after this event.
  package let id: ID
  /// The type of the event.
  package let name: Token
  /// The data: one line of JSON, without line breaks because JSON escapes them.
  package let data: JSONText

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - id: Where a client resumes after it.
  ///   - name: Its type.
  ///   - data: Its data.
  package init(id: ID, name: Token, data: JSONText) {
    self.id = id
    self.name = name
    self.data = data
  }

  /// The block as it is sent: id, event, data, and an empty line.
  package var block: [UInt8] {
    var block: [UInt8] = []
    block.reserveCapacity(data.bytes.count + 96)
    block.append(contentsOf: "id: ".utf8)
    block.append(contentsOf: id.description.utf8)
    block.append(contentsOf: "\nevent: ".utf8)
    block.append(contentsOf: name.description.utf8)
    block.append(contentsOf: "\ndata: ".utf8)
    block.append(contentsOf: data.bytes)
    block.append(contentsOf: "\n\n".utf8)
    return block
  }
}
