internal import Glibc
internal import GnuTLS
internal import Networking

/// A request for `/readyz` over a plain socket, without a client library or name resolution.
struct HealthProbe: Sendable {
  let address: SocketAddress
  let isSecure: Bool
  /// The time limit for the whole exchange.
  let timeout: Duration

  /// Sends the request and reads the status; blocks for at most the timeout.
  ///
  /// - Throws: `HealthProbeError` if no valid response arrives in time.
  func fetchStatus() throws(HealthProbeError) -> Int {
    let deadline = ContinuousClock.now + timeout
    let socket: RawSocket
    do throws(SocketError) {
      socket = try RawSocket(family: address.family, isBlocking: true)
    } catch {
      throw HealthProbeError(error)
    }
    defer { socket.close() }

    try limit(socket, to: deadline)
    do throws(SocketError) {
      try socket.connect(to: address)
    } catch {
      throw HealthProbeError(error)
    }
    let channel = isSecure ? try startTLS(socket) : nil
    let request = Array(
      "GET /readyz HTTP/1.1\r\nHost: \(address.host)\r\nConnection: close\r\n\r\n".utf8
    )
    if let channel {
      do throws(TLSClientError) {
        try channel.send(request)
      } catch {
        throw HealthProbeError(error)
      }
    } else {
      // A request this short fits into the buffer of any socket.
      guard case .bytes(request.count) = request.withUnsafeBytes({ socket.send($0) })
      else { throw HealthProbeError(SocketError()) }
    }
    return try readStatus(socket, channel, until: deadline)
  }

  /// Reads until the status code is complete: `HTTP/1.1 200 OK` (RFC 9112 §4).
  private func readStatus(
    _ socket: RawSocket,
    _ channel: TLSClient?,
    until deadline: ContinuousClock.Instant
  ) throws(HealthProbeError) -> Int {
    let statusEnd = "HTTP/1.1 200".utf8.count
    var received: [UInt8] = []
    while received.count <= statusEnd {
      try limit(socket, to: deadline)
      let piece = if let channel { try receive(channel) } else { try receive(socket) }
      guard let bytes = piece else { continue }
      guard !bytes.isEmpty else { throw .noHTTP }
      received += bytes
    }
    let words = String(decoding: received.prefix(statusEnd + 1), as: UTF8.self).split(
      separator: " ",
      omittingEmptySubsequences: false
    )
    guard words.count == 3, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0",
      let status = Int(words[1]), (100...599).contains(status)
    else { throw .noHTTP }
    return status
  }

  private func startTLS(_ socket: RawSocket) throws(HealthProbeError) -> TLSClient {
    guard let client = TLSClient(socket.descriptor, isBlocking: true) else { throw .noTLS }
    do throws(TLSClientError) {
      try client.handshake()
    } catch {
      throw HealthProbeError(error)
    }
    return client
  }

  /// Receives bytes; `nil` after a timeout or a record without content.
  private func receive(_ channel: TLSClient) throws(HealthProbeError) -> [UInt8]? {
    do throws(TLSClientError) {
      return try channel.receive(256)
    } catch {
      switch error {
      case .pending: return nil
      case .failed: throw .noTLS
      }
    }
  }

  private func receive(_ socket: RawSocket) throws(HealthProbeError) -> [UInt8]? {
    do throws(SocketError) {
      return try socket.receive(256)
    } catch {
      throw HealthProbeError(error)
    }
  }

  /// Limits the next call on a socket to the remaining time.
  private func limit(
    _ socket: RawSocket,
    to deadline: ContinuousClock.Instant
  ) throws(HealthProbeError) {
    let left = deadline - ContinuousClock.now
    guard left > .zero else { throw .timeout }
    do throws(SocketError) {
      try socket.limitWaiting(to: left)
    } catch {
      throw .system(errno: error.errorNumber)
    }
  }
}

/// A health check that got no response.
enum HealthProbeError: Error, Hashable, Sendable {
  /// The deadline passed.
  case timeout
  /// The response is not HTTP.
  case noHTTP
  /// The service does not speak TLS.
  case noTLS
  /// A system call failed.
  case system(errno: Int32)

  /// Converts the error of a TLS client with a timeout.
  init(_ error: TLSClientError) {
    switch error {
    case .pending: self = .timeout
    case .failed: self = .noTLS
    }
  }

  /// Converts the error of a socket with a timeout.
  init(_ error: SocketError) {
    switch error.errorNumber {
    case EAGAIN, EINPROGRESS, ETIMEDOUT: self = .timeout
    case let code: self = .system(errno: code)
    }
  }
}

extension HealthProbeError: CustomStringConvertible {
  var description: String {
    switch self {
    case .timeout: "no response in time"
    case .noHTTP: "the response is not HTTP"
    case .noTLS: "it does not speak TLS"
    case .system(let code): SystemError.text(of: code)
    }
  }
}
