internal import CGnuTLS

/// Writes a stream to a socket in records of TLS, in the place of the session that libmicrohttpd had
/// there.
// @unchecked Sendable because one thread has it at a time: it is handed over with its socket.
final class TLSRecordWriter: @unchecked Sendable {
  /// How much content is sealed at once; a client that does not read holds so much.
  private static let maximumPartBytes = 8 * 1024

  private var sealer: TLSRecordSealer
  /// The records that the socket has not taken yet, and how much content they hold.
  private var unsent: ArraySlice<UInt8> = []
  private var unsentContentBytes = 0
  /// Whether nothing may be sent any more.
  private var isOver = false

  /// Takes over what a session sends.
  ///
  /// There is none for a session whose records cannot be sealed.
  ///
  /// - Parameter session: A session that is open, and that has sent everything it was given. Nothing
  ///   that it sends afterwards comes to the socket.
  init?(takingOver session: gnutls_session_t) {
    guard let sealer = TLSRecordSealer(takingOver: session) else { return nil }
    self.sealer = sealer
    // libmicrohttpd will say goodbye, with a number that is ours now.
    gnutls_transport_set_push_function(session) { _, _, count in count }
  }

  deinit {
    sealer.forget()
  }

  /// Sends without waiting.
  ///
  /// - Parameters:
  ///   - content: What to send, from what was not taken before.
  ///   - descriptor: The socket.
  /// - Returns: How much was taken: the content of records is when all of them are, so it may be none
  ///   of it though the socket took some. After `none` or less than everything, what is sent next
  ///   begins with the rest.
  func send(_ content: UnsafeRawBufferPointer, to descriptor: Int32) -> StreamSocket.Sent {
    var takenBytes = 0
    var tookSome = false
    while takenBytes < content.count {
      if unsent.isEmpty {
        let part = UnsafeRawBufferPointer(
          rebasing: content[takenBytes...].prefix(Self.maximumPartBytes)
        )
        guard !isOver, let records = sealer.seal(part, as: .applicationData) else {
          isOver = true
          return .gone
        }
        unsent = records[...]
        unsentContentBytes = part.count
      }
      switch unsent.withUnsafeBytes({ StreamSocket.send($0, to: descriptor) }) {
      case .bytes(let count):
        tookSome = true
        unsent = unsent.dropFirst(count)
        guard unsent.isEmpty else { continue }
        unsent = []
        takenBytes += unsentContentBytes
      case .none:
        return tookSome ? .bytes(takenBytes) : .none
      case .gone:
        return .gone
      }
    }
    return .bytes(takenBytes)
  }

  /// Says that nothing follows (RFC 8446 §6.1), unless the socket is in the middle of a record.
  func finish(on descriptor: Int32) {
    guard !isOver, unsent.isEmpty else { return }
    isOver = true
    // close_notify, a warning.
    let alert: InlineArray<2, UInt8> = [1, 0]
    let records = withUnsafeBytes(of: alert) { sealer.seal($0, as: .alert) }
    if let records { records.withUnsafeBytes { _ = StreamSocket.send($0, to: descriptor) } }
  }
}
