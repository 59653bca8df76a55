internal import Glibc

/// A client that does exactly what it is told, down to the byte.
///
/// It belongs to one test and blocks; whatever it waits for has a deadline. It can send a byte at
/// a time, stop reading, and close half of the connection or break it off.
package final class SocketClient {
  let descriptor: Int32
  private var isOpen = true
  /// What sends and receives, once hands are shaken.
  var secure: SecureSession?
  /// What was received and not yet taken.
  private var received: [UInt8] = []
  /// What is received into; kept, since a client may receive thousands of times.
  private var buffer = [UInt8](repeating: 0, count: 16_384)
  private var hasEnded = false
  /// How the body that is being read ends.
  var framing = BodyFraming.none
  /// What of an event stream was decoded and not yet taken.
  var decoded: [UInt8] = []

  /// Connects to a port of the loopback address.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - receiveBufferBytes: How much the system may hold for a client that does not read; `nil`
  ///     leaves it to the system.
  /// - Throws: `TestSystemError`.
  package init(port: UInt16, receiveBufferBytes: Int32? = nil) throws(TestSystemError) {
    descriptor = try LocalSocket.make()
    if let receiveBufferBytes {
      // Before the connection, since the window is agreed on with it.
      try LocalSocket.set(receiveBufferBytes, level: SOL_SOCKET, option: SO_RCVBUF, of: descriptor)
    }
    try LocalSocket.set(Int32(1), level: Int32(IPPROTO_TCP), option: TCP_NODELAY, of: descriptor)
    let outcome = LocalSocket.withAddress(port: port) { connect(descriptor, $0, $1) }
    guard outcome == 0 else { throw .last("connect") }
  }

  /// Connects to a socket of the file system.
  ///
  /// - Parameter path: The socket.
  /// - Throws: `TestSystemError`.
  package init(path: String) throws(TestSystemError) {
    descriptor = try LocalSocket.make(family: AF_UNIX)
    let outcome = LocalSocket.withAddress(path: path) { connect(descriptor, $0, $1) }
    guard outcome == 0 else { throw .last("connect") }
  }

  /// Takes a connection over.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close()
  }

  /// The port of this end; `nil` at a socket of the file system.
  package var port: UInt16? { LocalSocket.port(of: descriptor, getsockname) }

  /// Waits until the socket is ready, or closed.
  func wait(for events: Int32, by deadline: Deadline) throws(TestSystemError) {
    var waiting = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
    try deadline.wait(for: &waiting)
  }

  // MARK: Sending

  /// Sends bytes, all of them.
  ///
  /// - Parameters:
  ///   - bytes: What to send.
  ///   - deadline: By when the other side must have taken them.
  /// - Throws: `TestSystemError`.
  package func send(_ bytes: [UInt8], by deadline: Deadline = .soon) throws(TestSystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let sent = try sendSome(rest) else {
        try wait(for: POLLOUT, by: deadline)
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

  /// Sends text as UTF-8.
  ///
  /// - Parameter text: What to send.
  /// - Throws: `TestSystemError`.
  package func send(_ text: String) throws(TestSystemError) {
    try send(Array(text.utf8))
  }

  /// Sends text a byte at a time, each in a packet of its own.
  ///
  /// - Parameter text: What to send.
  /// - Throws: `TestSystemError`.
  package func sendByteByByte(_ text: String) throws(TestSystemError) {
    for byte in text.utf8 { try send([byte]) }
  }

  /// Says that nothing more will be sent; the corresponding C function is `shutdown`.
  package func finishSending() {
    secure?.finishSending()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  // MARK: Receiving

  /// Waits for more bytes.
  ///
  /// - Parameter deadline: By when they must have come.
  /// - Returns: Whether some came; `false` says that the other side has closed.
  /// - Throws: `TestSystemError`.
  func receiveMore(by deadline: Deadline) throws(TestSystemError) -> Bool {
    guard !hasEnded else { return false }
    while true {
      guard let count = try receiveSome() else {
        try wait(for: POLLIN, by: deadline)
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

  /// Takes a number of bytes; waits until they have come.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - deadline: By when they must have come.
  /// - Returns: The bytes.
  /// - Throws: `TestSystemError`; `.closed` when the other side closes before.
  package func take(_ count: Int, by deadline: Deadline = .soon) throws(TestSystemError) -> [UInt8]
  {
    while received.count < count {
      guard try receiveMore(by: deadline) else { throw .closed }
    }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  /// Takes what has come; waits until something has, or the other side has closed.
  func takeSome(by deadline: Deadline) throws(TestSystemError) -> [UInt8]? {
    if received.isEmpty, try !receiveMore(by: deadline) { return nil }
    defer { received.removeAll() }
    return received
  }

  /// Reads a line; waits until it has come.
  ///
  /// - Parameter deadline: By when it must have come.
  /// - Returns: The line without its CRLF.
  /// - Throws: `TestSystemError`; `.closed` when the other side closes before its end.
  package func readLine(by deadline: Deadline = .soon) throws(TestSystemError) -> String {
    while true {
      if let end = received.indices.dropLast().first(where: {
        received[$0] == 13 && received[$0 + 1] == 10
      }) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 2)
        return line
      }
      guard try receiveMore(by: deadline) else { throw .closed }
    }
  }

  /// Reads until the other side closes.
  ///
  /// - Parameter deadline: By when it must have closed.
  /// - Returns: Everything that came and was not taken before.
  /// - Throws: `TestSystemError`; a connection that was broken off is `.system` with `ECONNRESET`.
  package func readToEnd(by deadline: Deadline = .soon) throws(TestSystemError) -> [UInt8] {
    while try receiveMore(by: deadline) {}
    defer { received.removeAll() }
    return received
  }

  // MARK: Ending

  /// Closes the connection.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(descriptor)
  }

  /// Breaks the connection off: the other side sees a reset.
  ///
  /// - Throws: `TestSystemError`.
  package func reset() throws(TestSystemError) {
    try LocalSocket.set(
      linger(l_onoff: 1, l_linger: 0),
      level: SOL_SOCKET,
      option: SO_LINGER,
      of: descriptor
    )
    close()
  }
}
