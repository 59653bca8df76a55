internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals

/// One connection: who is at its other end, and how long it may take to bring its next request and
/// to read its answer.
///
/// libmicrohttpd counts silence only, and each byte begins it anew, so a client that sends or reads
/// one now and then would hold a connection for ever. So each request has a time that runs from its
/// first byte, whatever comes after it, and so has each answer. Nobody tells when the first byte
/// comes; the kernel is asked, once in a while.
// Used on the loop's thread only.
final class ClientConnection {
  private enum Phase {
    /// Nothing of the next request has come when it was last looked at; the number is what the
    /// kernel had received then, `nil` before the first look.
    case idle(since: Duration, received: UInt64?)
    /// The head is coming.
    case head(since: Duration)
    /// The head has come, and the content is coming.
    case content(since: Duration)
    /// The request is whole and has no answer yet, or a stream; nothing is waited for from the
    /// client here.
    case processing
    /// The answer is being sent.
    case sending(since: Duration)
    /// libmicrohttpd will find it ended and close it.
    case closing
  }

  /// How long a client may take.
  struct Limits {
    /// From the first byte of a request to the last, from the first of an answer to the last, and
    /// from the end of that to the next request.
    var request: Duration
    /// Whether the connection is encrypted, so that nothing can be said past libmicrohttpd.
    var isSecure: Bool

    /// From the first byte of a request to the end of its head.
    var head: Duration { request / 3 }
  }

  /// Who is at the other end.
  let peer: ClientAddress
  /// What its TLS session uses; kept for as long as libmicrohttpd has the session.
  var security: SecureConnection?

  /// Its exchanges that the service has not released yet.
  let exchanges: ExchangesInFlight

  /// Where the memory of the connection begins, as far as is known: where the first request began.
  private var memoryStart: UnsafePointer<CChar>?

  private let descriptor: Int32
  private var phase: Phase
  /// Whether the client had said that it sends no more when it was last looked at.
  private var hasEnded = false

  /// Makes a connection that is idle.
  ///
  /// - Parameters:
  ///   - connection: What libmicrohttpd calls it; its socket is valid until it says that the
  ///     connection is closed, which it does before it closes the socket.
  ///   - maximumExchanges: How many of its exchanges may be in flight.
  ///   - now: The time of the loop.
  init(_ connection: OpaquePointer, maximumExchanges: Int, at now: Duration) {
    exchanges = ExchangesInFlight(maximum: maximumExchanges)
    descriptor = cmicrohttpd_descriptor(connection)
    peer = ClientAddress(peerOf: connection)
    phase = .idle(since: now, received: 0)
  }

  /// Whether nothing of it counts any more.
  var isClosing: Bool {
    if case .closing = phase { true } else { false }
  }

  // MARK: What happens on it

  /// The head of a request is whole.
  func headArrived(at now: Duration) {
    switch phase {
    case .head(let begin): phase = .content(since: begin)
    case .idle, .processing: phase = .content(since: now)
    case .content, .sending, .closing: break
    }
  }

  /// Whether nothing but empty lines came before a request.
  ///
  /// Each request is parsed at the beginning of the connection's memory, and libmicrohttpd takes a
  /// line that begins with a NUL for an empty one. Before the first request there is nothing behind
  /// which a line could hide.
  ///
  /// - Parameter start: The first byte of the request.
  /// - Returns: Whether there was nothing else.
  func isFirst(_ start: UnsafePointer<CChar>) -> Bool {
    guard let memoryStart, memoryStart <= start else {
      memoryStart = start
      return true
    }
    return (0..<(start - memoryStart)).allSatisfy { memoryStart[$0] == 0 }
  }

  /// The content of a request is whole.
  func requestArrived() {
    if !isClosing { phase = .processing }
  }

  /// The answer is there, whole, and goes to the client as fast as that reads.
  func responseBegan(at now: Duration) {
    if !isClosing { phase = .sending(since: now) }
  }

  /// The kernel has taken all of the answer.
  func requestEnded(at now: Duration) {
    if !isClosing { phase = .idle(since: now, received: nil) }
  }

  // MARK: What is too much

  /// Cuts the connection if its time has passed.
  ///
  /// - Parameters:
  ///   - limits: How long it may take.
  ///   - now: The time of the loop.
  func checkDeadlines(_ limits: Limits, at now: Duration) {
    switch phase {
    case .processing, .closing:
      break
    case .idle(let begin, let before):
      guard let state = readState() else {
        // A Unix socket tells nothing: silence and a head have one time together.
        if now - begin >= limits.request { close() }
        return
      }
      if case .closing = phase { return }
      if let before, state.received > before {
        phase = .head(since: now)
      } else if now - begin >= limits.request {
        close()
      } else {
        phase = .idle(since: begin, received: state.received)
      }
    case .head(let begin):
      _ = readState()
      if now - begin >= limits.head { reject(with: .requestTimeout, limits) }
    case .content(let begin):
      _ = readState()
      if now - begin >= limits.request { reject(with: .requestTimeout, limits) }
    case .sending(let begin):
      if now - begin >= limits.request { reset() }
    }
  }

  /// Asks the kernel; cuts a connection whose client will not send the rest of its request.
  ///
  /// libmicrohttpd 0.9.75 misses an end that comes together with the bytes before it, and would
  /// wait for more. The second look makes sure that it has read those.
  private func readState() -> cmicrohttpd_tcp_state? {
    var state = cmicrohttpd_tcp_state()
    guard cmicrohttpd_tcp_state(descriptor, &state) == 0 else { return nil }
    if hasEnded, state.has_ended { close() }
    hasEnded = state.has_ended
    return state
  }

  /// Tells the client why, as far as it can be told past libmicrohttpd, and cuts the connection.
  ///
  /// Nothing else is being sent then: the request that would be answered has not arrived whole. The
  /// corresponding C function is `send`.
  func reject(with problem: ProblemDetails, _ limits: Limits) {
    guard !isClosing else { return }
    if !limits.isSecure {
      let response = RawResponse(problem).bytes
      send(descriptor, response, response.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    close()
  }

  /// Cuts the connection, and has the kernel forget what it holds of the answer, which a client that
  /// does not read would leave there.
  ///
  /// The corresponding C option is `SO_LINGER` of no time.
  private func reset() {
    var none = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, size)
    close()
  }

  /// Cuts the connection; libmicrohttpd finds it ended and closes it.
  ///
  /// The corresponding C function is `shutdown`.
  private func close() {
    phase = .closing
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
