internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes
internal import Platform

/// One connection, with its peer and the deadlines of its requests and responses.
///
/// libmicrohttpd only limits silence, and each byte restarts that timeout, so a client that sends
/// or reads a byte now and then could keep a connection forever. So each request and each response
/// has a fixed deadline; that of a request starts with its first byte. libmicrohttpd does not
/// report the first byte, so the kernel is polled for it.
// Used on the loop's thread only.
final class ClientConnection {
  private enum Phase {
    /// Idle: no byte of the next request had arrived at the last check.
    ///
    /// `received` is the number of bytes that the kernel had received then, `nil` before the first
    /// check.
    case idle(since: Duration, received: UInt64?)
    case head(since: Duration)
    case content(since: Duration)
    /// The request is complete and has no response yet, or its response is a stream; the client has
    /// no deadline here.
    case processing
    case sending(since: Duration)
    /// A problem was sent, after which libmicrohttpd closes the connection as soon as it can, or is
    /// made to after ``rejectionTime``; the client may still be sending.
    case rejected(since: Duration)
    /// The socket is shut down; libmicrohttpd will notice that and close the connection.
    case closing
  }

  struct Limits {
    /// The limit for receiving a request, for sending a response, and for the time from a response
    /// to the next request.
    var request: Duration
    var responsePolicy: any ResponsePolicy

    /// The limit from the first byte of a request to the end of its head.
    var head: Duration { request / 3 }
  }

  /// The time for which a rejected client may go on sending before its socket is shut down.
  private static let rejectionTime: Duration = .seconds(1)

  /// The kernel counts the time since the last byte in its own ticks.
  private static let clockError: Duration = .milliseconds(20)

  /// The peer: the client, or a proxy in front of it.
  let peer: ClientAddress
  /// The keys and callbacks of its TLS session, kept for as long as libmicrohttpd uses the session.
  var security: SecureConnection?

  /// Whether the daemon closes the connection while the client may still be sending.
  var lingers = false

  private let descriptor: Int32
  private var phase: Phase
  /// Whether the client had closed its sending side at the last check.
  private var hasEnded = false

  /// Creates an idle connection.
  ///
  /// The socket is valid until libmicrohttpd reports that the connection is closed, which it does
  /// before it closes the socket.
  init(_ connection: OpaquePointer, at now: Duration) {
    descriptor = cmicrohttpd_descriptor(connection)
    peer = ClientAddress(cmicrohttpd_client(connection))
    phase = .idle(since: now, received: 0)
  }

  /// Returns the object for one of libmicrohttpd's connections; `nil` before it is open.
  static func of(_ connection: OpaquePointer) -> ClientConnection? {
    cmicrohttpd_socket_context(connection).map { pointer in
      // C owns it for as long as the connection is open.
      Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
    }
  }

  /// Whether the connection is rejected or shut down, so that its requests are to be ignored.
  var isClosing: Bool {
    switch phase {
    case .rejected, .closing: true
    case .idle, .head, .content, .processing, .sending: false
    }
  }

  // MARK: Progress

  /// Begins to wait for a request: the bytes of the handshake were none.
  func handshakeEnded(at now: Duration) {
    if !isClosing { phase = .idle(since: now, received: nil) }
  }

  /// Starts the deadline of a head whose first bytes were not noticed, because they came with the end
  /// of a handshake or right after a response.
  ///
  /// A part of a request line that came so counts as silence.
  func requestLineArrived(at now: Duration) {
    if case .idle = phase { phase = .head(since: now) }
  }

  func headArrived() {
    if case .head(let begin) = phase { phase = .content(since: begin) }
  }

  func requestArrived() {
    if !isClosing { phase = .processing }
  }

  /// Starts the deadline for sending a complete response, which takes as long as the client reads
  /// it.
  func responseBegan(at now: Duration) {
    if !isClosing { phase = .sending(since: now) }
  }

  func requestEnded(at now: Duration) {
    if !isClosing { phase = .idle(since: now, received: nil) }
  }

  /// Keeps the socket open for a while; called before libmicrohttpd closes it.
  ///
  /// Returns `nil` if the process has no file descriptor left.
  func beginLingering(at now: Duration) -> LingeringConnection? {
    // The number of the socket may be reused from here on.
    phase = .closing
    return LingeringConnection(self, descriptor: descriptor, at: now)
  }

  // MARK: Deadlines

  /// Closes, rejects or resets the connection if it has missed a deadline.
  func checkDeadlines(_ limits: Limits, at now: Duration) {
    switch phase {
    case .processing, .closing:
      break
    case .rejected(let begin):
      if now - begin >= Self.rejectionTime { close() }
    case .idle(let begin, let before):
      guard let state = readState() else {
        // A Unix socket does not report its bytes: silence and the head share one deadline.
        if now - begin >= limits.request { close() }
        return
      }
      if case .closing = phase { return }
      // At the first check after a response, the number of bytes before it is not known.
      let silence = Duration.milliseconds(Int64(state.silence))
      let hasBegun = before.map { state.received > $0 } ?? (now - silence > begin + Self.clockError)
      if hasBegun {
        phase = .head(since: before == nil ? now - silence : now)
      } else if now - begin >= limits.request {
        close()
      } else {
        phase = .idle(since: begin, received: state.received)
      }
    case .head(let begin):
      _ = readState()
      if now - begin >= limits.head { reject(with: .requestTimeout, limits, at: now) }
    case .content(let begin):
      _ = readState()
      if now - begin >= limits.request { reject(with: .requestTimeout, limits, at: now) }
    case .sending(let begin):
      if now - begin >= limits.request { reset() }
    }
  }

  /// Reads the state of the socket from the kernel, and closes the connection if the client will
  /// not send the rest of its request.
  ///
  /// libmicrohttpd 0.9.75 misses an end that arrives together with the bytes before it, and would
  /// wait for more. The connection is closed only when a second check finds the end, so
  /// libmicrohttpd has read those bytes by then.
  private func readState() -> cmicrohttpd_tcp_state? {
    var state = cmicrohttpd_tcp_state()
    guard cmicrohttpd_tcp_state(descriptor, &state) == 0 else { return nil }
    if hasEnded, state.has_ended { close() }
    hasEnded = state.has_ended
    return state
  }

  /// Rejects a request: sends a problem without libmicrohttpd, and closes the sending side, so that
  /// the client can read the problem although it is still sending.
  ///
  /// No other response is being sent at that time, because the request is incomplete.
  func reject(with problem: ProblemDetails, _ limits: Limits, at now: Duration) {
    guard !isClosing else { return }
    send(problem, limits)
    shutdown(descriptor, Int32(SHUT_WR))
    phase = .rejected(since: now)
    lingers = true
  }

  /// Sends a problem without libmicrohttpd, and closes the connection at once, for lack of room.
  func shed(with problem: ProblemDetails, _ limits: Limits) {
    guard !isClosing else { return }
    send(problem, limits)
    close()
  }

  /// Sends a problem directly to the socket or to its TLS session, and an alert during a handshake.
  private func send(_ problem: ProblemDetails, _ limits: Limits) {
    let response = rawResponse(problem, limits.responsePolicy)
    if let security {
      security.sendLast(response)
    } else {
      Glibc.send(descriptor, response, response.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
  }

  /// Resets the connection, so that the kernel drops the unsent rest of the response, which it
  /// would otherwise keep for a client that does not read.
  private func reset() {
    setResetsOnClose(true, of: descriptor)
    close()
  }

  /// Shuts down the socket; libmicrohttpd notices the end and closes the connection.
  private func close() {
    phase = .closing
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

extension ClientAddress {
  /// Converts an address from C; `nil` stands for this machine.
  init(_ address: UnsafePointer<sockaddr>?) {
    self = address.flatMap { IPAddress($0) }.map { ClientAddress($0) } ?? .local
  }
}

/// Sets whether closing a socket resets its connection or ends it normally.
///
/// A reset shows the client that the response is incomplete. It also makes the kernel drop the
/// bytes that the client has not read, which it would keep for half a minute otherwise. A Unix
/// socket accepts the option and still closes normally.
func setResetsOnClose(_ isOn: Bool, of descriptor: Int32) {
  var none = linger(l_onoff: isOn ? 1 : 0, l_linger: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
}

/// A connection that libmicrohttpd has closed, although its client may still be sending.
///
/// If the socket were closed with unread bytes, or if bytes arrived later, the kernel would reset
/// the connection and drop the responses that the client has not received yet. So only the sending
/// side is closed, and arriving bytes are dropped until the client closes its side too (RFC 9112
/// §9.6), for a limited time and a limited number of bytes.
// Used on the loop's thread only.
final class LingeringConnection {
  /// The time for which a client may continue to send.
  private static let time: Duration = .seconds(1)
  /// The interval at which ``drop(at:)`` must be called.
  static let interval: Duration = .milliseconds(20)
  private static let maximumBytes = 4 << 20

  /// The connection, which is counted until it is released.
  let client: ClientConnection
  private let descriptor: Int32
  private let end: Duration
  private var byteCount = 0

  /// Keeps the socket of a connection open, and closes its sending side; `nil` if the process has no
  /// file descriptor left.
  init?(_ client: ClientConnection, descriptor: Int32, at now: Duration) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    self.client = client
    self.descriptor = copy
    end = now + Self.time
    shutdown(copy, Int32(SHUT_WR))
  }

  deinit { close(descriptor) }

  /// Drops the bytes that have arrived; returns `false` if no more may, and the object is to be
  /// released, which closes the socket.
  func drop(at now: Duration) -> Bool {
    guard now < end, byteCount < Self.maximumBytes else { return false }
    // The kernel copies nothing.
    let count = recv(descriptor, nil, Self.maximumBytes, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT))
    if count > 0 {
      byteCount += count
      return true
    }
    if count < 0 { return errno == EAGAIN }
    // After a shutdown of the receiving side, `recv` reports the end whenever it has no bytes.
    var state = cmicrohttpd_tcp_state()
    return cmicrohttpd_tcp_state(descriptor, &state) == 0 && state.awaits_end
  }
}

/// Returns a problem as a complete HTTP/1.1 response (RFC 9112), after which the connection must be
/// closed: for connections on which libmicrohttpd cannot send one.
private func rawResponse(_ problem: ProblemDetails, _ policy: any ResponsePolicy) -> [UInt8] {
  let response = policy.response(for: problem, to: nil)
  let content: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
  // The format of RFC 9110 §5.6.7, in the C locale; this program never sets another.
  var seconds = time(nil)
  var parts = tm()
  gmtime_r(&seconds, &parts)
  var date = [CChar](repeating: 0, count: 32)
  strftime(&date, date.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
  var head = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
  head += "Date: \(String(cBuffer: date))\r\n"
  for (name, value) in response.fields.pairs { head += "\(name): \(value)\r\n" }
  head += "X-Content-Type-Options: nosniff\r\nConnection: close\r\n"
  head += "Content-Length: \(content.count)\r\n\r\n"
  return Array(head.utf8) + content
}
