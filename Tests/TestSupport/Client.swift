internal import Glibc

/// A socket client with control over every byte it sends.
///
/// It belongs to one test and blocks; every wait for the next bytes has a time limit. It can send
/// byte by byte, stop reading, and half-close or reset the connection.
package final class Client {
  let descriptor: Int32
  private var isOpen = true
  /// The TLS session; `nil` before the handshake.
  var secure: SecureSession?
  /// The received bytes that have not been taken yet.
  private var received: [UInt8] = []
  /// The buffer for receiving, which is reused because a client may receive thousands of times.
  private var buffer = [UInt8](repeating: 0, count: 16_384)
  private var hasEnded = false
  /// The end of the body that is being read.
  var framing = BodyFraming.none
  /// The decoded bytes of an event stream that have not been taken yet.
  var decoded: [UInt8] = []

  /// Connects to a loopback port.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - receiveBufferBytes: The size of the system's receive buffer; `nil` uses the system's
  ///     default.
  package init(port: UInt16, receiveBufferBytes: Int32? = nil) throws(TestSystemError) {
    descriptor = try LocalSocket.make()
    if let receiveBufferBytes {
      // Must precede `connect`, which negotiates the receive window.
      try LocalSocket.set(receiveBufferBytes, level: SOL_SOCKET, option: SO_RCVBUF, of: descriptor)
    }
    try LocalSocket.set(Int32(1), level: Int32(IPPROTO_TCP), option: TCP_NODELAY, of: descriptor)
    let outcome = LocalSocket.withAddress(port: port) { connect(descriptor, $0, $1) }
    guard outcome == 0 else { throw .last("connect") }
  }

  /// Connects to a Unix domain socket in the file system.
  package init(path: String) throws(TestSystemError) {
    descriptor = try LocalSocket.make(family: AF_UNIX)
    let outcome = LocalSocket.withAddress(path: path) { connect(descriptor, $0, $1) }
    guard outcome == 0 else { throw .last("connect") }
  }

  /// Takes ownership of a connection.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close()
  }

  /// The port of this end; `nil` for a Unix domain socket.
  package var port: UInt16? { LocalSocket.port(of: descriptor, getsockname) }

  // MARK: Sending

  /// Sends all bytes, which the peer must accept in time.
  package func send(
    _ bytes: [UInt8], within time: Duration = patience
  ) throws(TestSystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let sent = try sendSome(rest) else {
        try wait(for: POLLOUT, of: descriptor, within: time)
        continue
      }
      rest = rest.dropFirst(sent)
    }
  }

  private func sendSome(_ bytes: ArraySlice<UInt8>) throws(TestSystemError) -> Int? {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(TestSystemError) in
        if let secure { return try secure.send(bytes) }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let sent = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
        if sent >= 0 { return sent }
        guard errno == EAGAIN else { throw .last("send") }
        return nil
      }
    }.get()
  }

  package func send(_ text: String) throws(TestSystemError) {
    try send(Array(text.utf8))
  }

  /// Sends each byte in its own packet.
  package func sendByteByByte(_ text: String) throws(TestSystemError) {
    for byte in text.utf8 { try send([byte]) }
  }

  /// Half-closes the connection; the corresponding C function is `shutdown`.
  package func finishSending() {
    secure?.finishSending()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  // MARK: Receiving

  /// Waits for more bytes; `false` means that the peer has closed the connection.
  func receiveMore(within time: Duration) throws(TestSystemError) -> Bool {
    guard !hasEnded else { return false }
    while true {
      guard let count = try receiveSome() else {
        try wait(of: descriptor, within: time)
        continue
      }
      hasEnded = count == 0
      received += buffer.prefix(count)
      return !hasEnded
    }
  }

  private func receiveSome() throws(TestSystemError) -> Int? {
    try buffer.withUnsafeMutableBytes { buffer in
      Result { () throws(TestSystemError) in
        if let secure { return try secure.receive(into: buffer) }
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count >= 0 { return count }
        guard errno == EAGAIN else { throw .last("recv") }
        return nil
      }
    }.get()
  }

  /// Waits for a number of bytes, and takes them; throws `.closed` if the peer closes first.
  package func take(
    _ count: Int, within time: Duration = patience
  ) throws(TestSystemError) -> [UInt8] {
    while received.count < count {
      guard try receiveMore(within: time) else { throw .closed }
    }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  /// Waits for bytes or the end of the connection, and takes all received bytes.
  func takeSome(within time: Duration) throws(TestSystemError) -> [UInt8]? {
    if received.isEmpty, try !receiveMore(within: time) { return nil }
    defer { received.removeAll() }
    return received
  }

  /// Waits for a line, and takes it without its CRLF; throws `.closed` if the peer closes the
  /// connection within it.
  package func readLine(within time: Duration = patience) throws(TestSystemError) -> String {
    while true {
      if let end = received.indices.dropLast().first(where: {
        received[$0] == 13 && received[$0 + 1] == 10
      }) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 2)
        return line
      }
      guard try receiveMore(within: time) else { throw .closed }
    }
  }

  /// Reads until the peer closes the connection; a reset is `.system` with `ECONNRESET`.
  package func readToEnd(within time: Duration = patience) throws(TestSystemError) -> [UInt8] {
    while try receiveMore(within: time) {}
    defer { received.removeAll() }
    return received
  }

  // MARK: Ending

  package func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(descriptor)
  }

  /// Resets the connection.
  package func reset() throws(TestSystemError) {
    try LocalSocket.set(
      linger(l_onoff: 1, l_linger: 0), level: SOL_SOCKET, option: SO_LINGER, of: descriptor)
    close()
  }
}
