internal import Platform

/// One event of an event stream, in the format of WHATWG HTML §9.2.6.
///
/// Neither its id nor its name can contain a line break.
package struct ServerSentEvent: Hashable, Sendable {
  /// A name that cannot inject a line into a block: `[A-Za-z0-9._-]`, at most 64 bytes.
  package struct Token: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Creates a token from the allowed bytes of a text.
    package init(_ text: some StringProtocol) {
      description = String(
        decoding: text.utf8.lazy.filter(Self.isAllowed).prefix(64), as: UTF8.self)
    }

    /// Returns whether a text, possibly from a client, is a valid token.
    package static func isToken(_ text: String) -> Bool {
      (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: byte.isASCIILetter || byte.isASCIIDigit
      }
    }
  }

  /// The id of an event: the log, and the position in it.
  package struct ID: Hashable, Sendable, CustomStringConvertible {
    /// The name of the log; a position is meaningless in any other log.
    package let epoch: Token
    /// The position, which increases with each event.
    package let position: UInt64
    /// The part of what is at the position, if it is sent in several events.
    package let part: UInt64?

    package init(epoch: Token, position: UInt64, part: UInt64? = nil) {
      self.epoch = epoch
      self.position = position
      self.part = part
    }

    /// The id as sent, for example `k3f9a2c1-17` or `k3f9a2c1-17.4`.
    package var description: String {
      var bytes: [UInt8] = []
      write(to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate func write(to bytes: inout [UInt8]) {
      bytes.append(contentsOf: epoch.description.utf8)
      bytes.append(UInt8(ascii: "-"))
      bytes.append(contentsOf: String(position).utf8)
      guard let part else { return }
      bytes.append(UInt8(ascii: "."))
      bytes.append(contentsOf: String(part).utf8)
    }
  }

  /// The id from which a client resumes after this event.
  package let id: ID
  package let name: Token
  /// The data: one line of JSON, because `JSONText` escapes line breaks.
  package let data: JSONText

  package init(id: ID, name: Token, data: JSONText) {
    self.id = id
    self.name = name
    self.data = data
  }

  /// The block as sent: `id`, `event`, `data`, and an empty line.
  package var block: [UInt8] {
    var block: [UInt8] = []
    write(to: &block)
    return block
  }

  func write(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "id: ".utf8)
    id.write(to: &bytes)
    bytes.append(contentsOf: "\nevent: ".utf8)
    bytes.append(contentsOf: name.description.utf8)
    bytes.append(contentsOf: "\ndata: ".utf8)
    bytes.append(contentsOf: data.bytes)
    bytes.append(contentsOf: "\n\n".utf8)
  }
}
