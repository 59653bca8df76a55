internal import CMicrohttpd
internal import Glibc
internal import Security
internal import Platform

/// A probe that checks, with the installed libmicrohttpd and GnuTLS, whether a connection survives
/// in a duplicate of its socket after the content of its response has failed.
///
/// It starts a small daemon without a port, gives it one end of a socket pair, and sends a request.
/// That takes less than a millisecond, and with TLS as long as a handshake.
enum TakeoverProbe {
  final class Record: StreamContent {
    var connection: OpaquePointer?
    var socket: StreamSocket?
    var isCompleted = false
    /// Sets up TLS as in a daemon, because the session tickets that it enables are also records,
    /// and count.
    let acceptor: TLSAcceptor?
    var security: SecureConnection?

    init(_ identity: TLSIdentity?) {
      acceptor = identity.flatMap { TLSAcceptor($0) }
    }

    override func read(into _: UnsafeMutableRawBufferPointer) -> Int {
      if let connection, socket == nil { socket = StreamSocket(takingOver: connection) }
      return MHD_CONTENT_READER_END_WITH_ERROR
    }
  }

  /// The number of turns for the daemon, which does not block in any of them; it needs fewer.
  private static let turnCount = 16

  /// Runs the probe; `identity` is that of a daemon with TLS.
  static func passes(_ identity: TLSIdentity?) -> Bool {
    let record = Record(identity)
    return withExtendedLifetime(record) {
      let started = startLibrary(
        MHD_USE_NO_LISTEN_SOCKET.rawValue,
        [
          .init(.EXTERNAL_LOGGER, calling: silentLogHandler),
          .init(.NOTIFY_COMPLETED, calling: probeCompletedHandler, record),
          .init(.NOTIFY_CONNECTION, calling: probeConnectionHandler, record),
        ],
        identity: identity,
        handledBy: probeAccessHandler,
        record
      )
      guard let daemon = started else { return false }
      defer { MHD_stop_daemon(daemon) }
      var ends: [Int32] = [-1, -1]
      let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return false }
      defer { close(ends[0]) }
      var address = sockaddr()
      address.sa_family = sa_family_t(AF_UNIX)
      let size = socklen_t(MemoryLayout<sockaddr>.size)
      guard MHD_add_connection(daemon, ends[1], &address, size) == .YES else { return false }
      return livesOn(record, ends[0], isSecure: identity != nil) { MHD_run(daemon) }
    }
  }

  /// Returns whether the client receives the head, then the byte that is sent without
  /// libmicrohttpd, and the end only after that.
  private static func livesOn(
    _ record: Record, _ descriptor: Int32, isSecure: Bool, turn: () -> Void
  ) -> Bool {
    guard let client = ProbeClient(descriptor, isSecure: isSecure) else { return false }
    client.request("GET / HTTP/1.1\r\nHost: trial\r\n\r\n")
    for _ in 0..<turnCount {
      turn()
      client.advance()
    }
    guard let socket = record.socket else { return false }
    let sent = withUnsafeBytes(of: UInt8(ascii: "x")) { socket.send($0) }
    client.advance()
    let isOpen = !client.hasEnded
    socket.close()
    client.advance()
    guard case .bytes(1) = sent, record.isCompleted, isOpen, client.hasEnded else { return false }
    return client.received.suffix(5).elementsEqual("\r\n\r\nx".utf8)
  }
}

private let silentLogHandler: MHD_LogCallback = { _, _, _ in }

private let probeAccessHandler: MHD_AccessHandlerCallback = {
  closure,
  connection,
  _,
  _,
  _,
  _,
  _,
  context in
  guard let closure, let connection, let context else { return .NO }
  guard context.pointee != nil else {
    context.pointee = closure
    return .YES
  }
  let record = Unmanaged<TakeoverProbe.Record>.fromOpaque(closure).takeUnretainedValue()
  record.connection = connection
  guard let made = record.makeResponse(framing: .chunked, partBytes: 128) else { return .NO }
  defer { made.destroy() }
  return made.queue(on: connection, status: 200)
}

private let probeConnectionHandler: MHD_NotifyConnectionCallback = {
  closure,
  connection,
  _,
  event in
  guard let closure, let connection, event == .CONNECTION_NOTIFY_STARTED else { return }
  let record = Unmanaged<TakeoverProbe.Record>.fromOpaque(closure).takeUnretainedValue()
  record.security = record.acceptor?.secure(connection, on: nil)
}

private let probeCompletedHandler: MHD_RequestCompletedCallback = { closure, _, _, _ in
  guard let closure else { return }
  Unmanaged<TakeoverProbe.Record>.fromOpaque(closure).takeUnretainedValue().isCompleted = true
}
