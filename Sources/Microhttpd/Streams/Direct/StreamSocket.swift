internal import CGnuTLS
internal import CMicrohttpd
internal import Glibc

/// A socket that belongs to one stream, and that libmicrohttpd does not know.
struct StreamSocket {
  /// What came of sending.
  enum Sent {
    /// So many bytes were taken.
    case bytes(Int)
    /// The kernel takes no more at the moment.
    case none
    /// The client has gone.
    case gone
  }

  let descriptor: Int32
  private let records: TLSRecordWriter?

  /// Whether the socket of a connection can be taken over: it cannot with TLS 1.2.
  static func canTakeOver(_ connection: OpaquePointer) -> Bool {
    cmicrohttpd_tls_session(connection).map(TLSRecordSealer.canSeal) ?? true
  }

  /// Takes a second hold on the socket of a connection, and its encryption; the corresponding C
  /// function is `fcntl` with `F_DUPFD_CLOEXEC`.
  ///
  /// There is none when the process has no descriptor left.
  ///
  /// - Parameter connection: A connection that has sent everything it was given. libmicrohttpd may
  ///   close its socket afterwards, not shut it down.
  init?(takingOver connection: OpaquePointer) {
    let copy = fcntl(cmicrohttpd_descriptor(connection), F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    if let session = cmicrohttpd_tls_session(connection) {
      guard let records = TLSRecordWriter(takingOver: session) else {
        Glibc.close(copy)
        return nil
      }
      self.records = records
    } else {
      records = nil
    }
    descriptor = copy
  }

  /// Whether the stream has to end when the client sends something.
  ///
  /// Nobody can read that any more, and it may be the request for another key, which would have to be
  /// answered before anything else is sent (RFC 8446 §4.6.3).
  var endsAtInput: Bool { records != nil }

  /// Has each event leave at once; the rest it has from the socket that listens.
  ///
  /// A Unix socket rejects it, and does so anyway.
  func configure() {
    var isOn: Int32 = 1
    var isOff: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, size)
    // libmicrohttpd holds the head back for what should follow it, where it uses TLS.
    if records != nil { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &isOff, size) }
  }

  /// Sends without waiting.
  ///
  /// - Parameter bytes: What to send; what was not taken before comes first, unchanged.
  /// - Returns: How much was taken.
  func send(_ bytes: UnsafeRawBufferPointer) -> Sent {
    records.map { $0.send(bytes, to: descriptor) } ?? Self.send(bytes, to: descriptor)
  }

  /// Sends bytes as they are; the corresponding C function is `send`.
  static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Sent {
    while true {
      let count = Glibc.send(
        descriptor,
        bytes.baseAddress,
        bytes.count,
        Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
      )
      if count >= 0 { return .bytes(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .none
      default: return .gone
      }
    }
  }

  /// Resets the connection: what the client has not read is dropped.
  func reset() {
    setResetsOnClose(true, of: descriptor)
    Glibc.close(descriptor)
  }

  /// Closes it; what was sent is still delivered.
  func close() {
    setResetsOnClose(false, of: descriptor)
    records?.finish(on: descriptor)
    // With bytes of the client unread, the kernel would break the connection off instead.
    recv(descriptor, nil, 1 << 20, Int32(MSG_TRUNC | MSG_DONTWAIT))
    Glibc.close(descriptor)
  }
}
