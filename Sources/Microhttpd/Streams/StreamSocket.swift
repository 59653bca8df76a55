internal import CMicrohttpd
internal import Glibc
internal import Security
internal import Platform

/// A socket that belongs to one stream, independent of libmicrohttpd.
struct StreamSocket {
  typealias Sent = RawSocket.Sent

  let descriptor: Int32
  private let records: TLSRecordWriter?

  /// Returns whether the socket of a connection can be taken over; it cannot with TLS 1.2.
  static func canTakeOver(_ connection: OpaquePointer) -> Bool {
    SocketTakeover.isSupported
      && (cmicrohttpd_tls_session(connection).map { TLSRecordSealer.canSeal($0) } ?? true)
  }

  /// Duplicates the descriptor of a connection, and takes over its encryption; the corresponding C
  /// function is `fcntl` with `F_DUPFD_CLOEXEC`.
  ///
  /// Returns `nil` if the process has no file descriptor left, or the encryption cannot be taken
  /// over.
  ///
  /// - Parameter connection: A connection with no unsent bytes. libmicrohttpd may close its socket
  ///   afterwards, but must not shut it down.
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

  /// Takes ownership of a socket without TLS.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    records = nil
  }

  /// Whether the stream must end when the client sends bytes.
  ///
  /// The session that could decrypt those bytes is gone. They may contain a KeyUpdate that requests
  /// a new key, and the response to it must precede all other bytes (RFC 8446 §4.6.3).
  var endsAtInput: Bool { records != nil }

  /// Makes the kernel send each event immediately; other options are inherited from the listening
  /// socket.
  ///
  /// A Unix socket rejects the option, and sends immediately anyway.
  func configure(_ framing: StreamFraming) {
    // A close before the end must not look like the end, where the close alone marks it.
    if framing == .untilClose { setResetsOnClose(true, of: descriptor) }
    var isOn: Int32 = 1
    var isOff: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, size)
    // With TLS, libmicrohttpd holds the head back until content follows it.
    if records != nil { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &isOff, size) }
  }

  /// Sends bytes without blocking, and returns how many were accepted.
  ///
  /// The bytes that were not accepted before must come first, unchanged.
  func send(_ bytes: UnsafeRawBufferPointer) -> Sent {
    let socket = RawSocket(descriptor)
    return records.map { $0.send(bytes, to: socket) } ?? socket.send(bytes)
  }

  /// Resets the connection; bytes that the client has not read are dropped.
  func reset() {
    setResetsOnClose(true, of: descriptor)
    Glibc.close(descriptor)
  }

  /// Closes the connection; bytes that were sent are still delivered.
  func close() {
    setResetsOnClose(false, of: descriptor)
    records?.finish(on: RawSocket(descriptor))
    // With unread bytes from the client, the kernel would reset the connection instead.
    recv(descriptor, nil, 1 << 20, Int32(MSG_TRUNC | MSG_DONTWAIT))
    Glibc.close(descriptor)
  }
}
