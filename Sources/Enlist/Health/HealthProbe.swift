internal import Glibc

/// One request for `/readyz`, with a plain socket: no client library, no name is looked up.
struct HealthProbe: Sendable {
  /// Whom to ask.
  let address: SocketAddress
  /// Whether the service speaks TLS.
  let isSecure: Bool
  /// How long all of it may take.
  let timeout: Duration

  /// Asks; blocks for at most the timeout.
  ///
  /// - Returns: The status code of the answer.
  /// - Throws: `HealthProbeError` when there is none in time.
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
      // So short a request fits any socket's buffer.
      guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
      else { throw failure() }
    }
    return try readStatus(socket, channel, until: deadline)
  }

  /// Reads until the status line is whole: `HTTP/1.1 200 OK` (RFC 9112 §4).
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
      // Whether its time is over is asked before the next attempt.
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

  /// Bounds the next call on a socket by the time that is left.
  private func limit(
    _ socket: Int32,
    to deadline: ContinuousClock.Instant
  ) throws(HealthProbeError) {
    let left = (deadline - ContinuousClock.now).components
    guard left.seconds >= 0, left.attoseconds > 0 || left.seconds > 0 else { throw .timeout }
    // A time of zero would mean no limit at all.
    let microseconds = max(left.attoseconds / 1_000_000_000_000, 1)
    var time = timeval(tv_sec: Int(left.seconds), tv_usec: Int(microseconds))
    let size = socklen_t(MemoryLayout<timeval>.size)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      guard setsockopt(socket, SOL_SOCKET, option, &time, size) == 0 else {
        throw .system(errno: errno)
      }
    }
  }

  /// Tells why the last call failed.
  private func failure() -> HealthProbeError {
    switch errno {
    case EAGAIN, EINPROGRESS, ETIMEDOUT: .timeout
    case let code: .system(errno: code)
    }
  }
}

/// Why the service gave no answer.
enum HealthProbeError: Error, Hashable, Sendable {
  /// Not in time.
  case timeout
  /// What came was not HTTP.
  case noHTTP
  /// What came was not TLS.
  case noTLS
  /// The system said so.
  case system(errno: Int32)
}

extension HealthProbeError: CustomStringConvertible {
  var description: String {
    switch self {
    case .timeout: "no answer in time"
    case .noHTTP: "the answer is not HTTP"
    case .noTLS: "it does not speak TLS"
    case .system(let code): SystemError.text(of: code)
    }
  }
}
