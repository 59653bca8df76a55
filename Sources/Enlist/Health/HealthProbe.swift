internal import Glibc

/// A request for `/readyz` over a plain socket, without a client library or name resolution.
struct HealthProbe: Sendable {
  /// The address of the service.
  let address: SocketAddress
  /// Whether the service speaks TLS.
  let isSecure: Bool
  /// The time limit for the whole exchange.
  let timeout: Duration

  /// Sends the request and reads the status; blocks for at most the timeout.
  ///
  /// - Returns: The status code of the response.
  /// - Throws: `HealthProbeError` if no valid response arrives in time.
  func fetchStatus() throws(HealthProbeError) -> Int {
    let deadline = ContinuousClock.now + timeout
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(address.family, kind, 0)
    guard socket >= 0 else { throw .system(errno: errno) }
    defer { close(socket) }

    try limit(socket, to: deadline)
    let connected = address.withSocketAddress { connect(socket, $0, $1) }
    guard connected == 0 else { throw failure() }
    let channel = isSecure ? try TLSChannel(socket) : nil
    let request = Array(
      "GET /readyz HTTP/1.1\r\nHost: \(address.host)\r\nConnection: close\r\n\r\n".utf8
    )
    if let channel {
      try channel.send(request)
    } else {
      // A request this short fits into the buffer of any socket.
      guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
      else { throw failure() }
    }
    return try readStatus(socket, channel, until: deadline)
  }

  /// Reads until the status code is complete: `HTTP/1.1 200 OK` (RFC 9112 §4).
  private func readStatus(
    _ socket: Int32,
    _ channel: TLSChannel?,
    until deadline: ContinuousClock.Instant
  ) throws(HealthProbeError) -> Int {
    let statusEnd = "HTTP/1.1 200".utf8.count
    var received: [UInt8] = []
    while received.count <= statusEnd {
      try limit(socket, to: deadline)
      let piece = if let channel { try channel.receive() } else { try receive(socket) }
      // The next attempt starts with a check of the deadline.
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

  private func receive(_ socket: Int32) throws(HealthProbeError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count >= 0 else { throw failure() }
    return Array(buffer.prefix(count))
  }

  /// Limits the next call on a socket to the remaining time.
  private func limit(
    _ socket: Int32,
    to deadline: ContinuousClock.Instant
  ) throws(HealthProbeError) {
    let left = (deadline - ContinuousClock.now).components
    guard left.seconds >= 0, left.attoseconds > 0 || left.seconds > 0 else { throw .timeout }
    // A timeout of zero would mean no limit.
    let microseconds = max(left.attoseconds / 1_000_000_000_000, 1)
    var time = timeval(tv_sec: Int(left.seconds), tv_usec: Int(microseconds))
    let size = socklen_t(MemoryLayout<timeval>.size)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      guard setsockopt(socket, SOL_SOCKET, option, &time, size) == 0 else {
        throw .system(errno: errno)
      }
    }
  }

  /// Returns the error of the last system call.
  private func failure() -> HealthProbeError {
    switch errno {
    case EAGAIN, EINPROGRESS, ETIMEDOUT: .timeout
    case let code: .system(errno: code)
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
