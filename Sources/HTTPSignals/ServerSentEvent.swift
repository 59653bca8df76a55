/// One block of an event stream; line breaks cannot get into its id or name.
///
/// WHATWG HTML §9.2.6 is the format.
package struct ServerSentEvent: Hashable, Sendable {
  /// A name or id that cannot break a block: `[A-Za-z0-9._-]`, at most 64 octets.
  package struct Token: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    package let description: String

    /// Takes a text that qualifies.
    ///
    /// - Parameter text: Anything, also from a client.
    package init?(_ text: String) {
      guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
        return nil
      }
      description = text
    }

    private static func isAllowed(_ octet: UInt8) -> Bool {
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  /// Where a client resumes after this event.
  package let id: Token
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
  package init(id: Token, name: Token, data: JSONText) {
    self.id = id
    self.name = name
    self.data = data
  }

  /// The block as it is sent: id, event, data, and an empty line.
  package var block: [UInt8] {
    var block: [UInt8] = []
    block.reserveCapacity(data.octets.count + 96)
    block.append(contentsOf: "id: ".utf8)
    block.append(contentsOf: id.description.utf8)
    block.append(contentsOf: "\nevent: ".utf8)
    block.append(contentsOf: name.description.utf8)
    block.append(contentsOf: "\ndata: ".utf8)
    block.append(contentsOf: data.octets)
    block.append(contentsOf: "\n\n".utf8)
    return block
  }

  package static func == (left: ServerSentEvent, right: ServerSentEvent) -> Bool {
    left.block == right.block
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(block)
  }
}
