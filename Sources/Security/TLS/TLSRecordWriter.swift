internal import CGnuTLS
package import Platform

/// A writer that sends a stream in TLS records, instead of the session that libmicrohttpd used on
/// that socket.
// @unchecked Sendable because one thread uses it at a time: it moves together with its socket.
package final class TLSRecordWriter: @unchecked Sendable {
  /// The maximum content that is sealed at once, in bytes; a client that does not read retains that
  /// much memory.
  private static let maximumPartBytes = 8 * 1024

  private var sealer: TLSRecordSealer
  /// The bytes of the current records that the socket has not accepted yet.
  private var unsent: ArraySlice<UInt8> = []
  /// The size of the content of the current records, in bytes.
  private var unsentContentBytes = 0
  private var isOver = false

  /// Takes over the sending direction of a session.
  ///
  /// Returns `nil` for a session whose records cannot be sealed.
  ///
  /// - Parameter session: An open session with no unsent bytes; the corresponding C type is
  ///   `gnutls_session_t`. Its later output is discarded and does not reach the socket.
  package init?(takingOver session: OpaquePointer) {
    guard let sealer = TLSRecordSealer(takingOver: session) else { return nil }
    self.sealer = sealer
    // libmicrohttpd will send close_notify, with a record number that this writer uses now.
    gnutls_transport_set_push_function(session) { _, _, count in count }
  }

  deinit {
    sealer.forget()
  }

  /// Sends content without blocking, starting with the part that was not accepted before.
  ///
  /// - Returns: The number of content bytes that were accepted. Content counts as accepted when the
  ///   socket has accepted all of its records, so the number may be 0 although the socket accepted
  ///   bytes. After `none` or a smaller number than requested, the next call must begin with the
  ///   rest.
  package func send(_ content: UnsafeRawBufferPointer, to socket: RawSocket) -> RawSocket.Sent {
    var takenBytes = 0
    var tookSome = false
    while takenBytes < content.count {
      if unsent.isEmpty {
        let part = UnsafeRawBufferPointer(
          rebasing: content[takenBytes...].prefix(Self.maximumPartBytes))
        guard !isOver, let records = sealer.seal(part, as: .applicationData) else {
          isOver = true
          return .gone
        }
        unsent = records[...]
        unsentContentBytes = part.count
      }
      switch unsent.withUnsafeBytes({ socket.send($0) }) {
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

  /// Sends close_notify (RFC 8446 §6.1), unless the socket is in the middle of a record.
  package func finish(on socket: RawSocket) {
    guard !isOver, unsent.isEmpty else { return }
    isOver = true
    // An alert at warning level: close_notify.
    let alert: InlineArray<2, UInt8> = [1, 0]
    let records = withUnsafeBytes(of: alert) { sealer.seal($0, as: .alert) }
    if let records { records.withUnsafeBytes { _ = socket.send($0) } }
  }
}
