/// The id of a mail in the outbox, which is never shown.
///
/// The id has the form of an ``ExecutionID``: 48 bits of Unix time in milliseconds, so that the
/// outbox is appended to, and 128 random bits. The links and the code of a mail are derived from
/// it, so that a repeated attempt sends the same ones.
package struct MailID: Hashable, Sendable {
  package static let byteCount = ExecutionID.byteCount

  private let id: ExecutionID

  package init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
    id = ExecutionID(at: time, using: &generator)
  }

  /// Creates an id from its 22 bytes; `nil` if they are invalid.
  package init?(bytes: some Collection<UInt8>) {
    guard let id = ExecutionID(bytes: bytes) else { return nil }
    self.id = id
  }

  /// The bytes, most significant first, as stored.
  package var bytes: [UInt8] { id.bytes }
}
