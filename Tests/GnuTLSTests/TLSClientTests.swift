import GnuTLS
import Glibc
import Networking
import Testing

/// Tests of the TLS client on both kinds of sockets, against a peer that does not speak TLS.
@Suite(.timeLimit(.minutes(15))) struct TLSClientTests {
  /// Calls a closure with both ends of a socket pair, and closes them afterwards.
  private func withSockets(
    isBlocking: Bool,
    _ body: (_ client: RawSocket, _ peer: RawSocket) throws -> Void
  ) throws {
    var ends: [Int32] = [-1, -1]
    let type = SOCK_STREAM.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0)
    let (client, peer) = (RawSocket(ends[0]), RawSocket(ends[1]))
    defer {
      client.close()
      peer.close()
    }
    try body(client, peer)
  }

  @Test func `a handshake on a nonblocking socket does not wait for the server`() throws {
    try withSockets(isBlocking: false) { socket, peer in
      let client = try #require(TLSClient(socket.descriptor, isBlocking: false))
      #expect(throws: TLSClientError.pending) { try client.handshake() }
      // The record that begins the handshake has been sent.
      #expect(try peer.receive(1) == [22])
      #expect(throws: TLSClientError.pending) { try client.handshake() }
    }
  }

  @Test func `a handshake on a blocking socket waits until the timeout of the socket`() throws {
    try withSockets(isBlocking: true) { socket, _ in
      try socket.limitWaiting(to: .milliseconds(50))
      let client = try #require(TLSClient(socket.descriptor, isBlocking: true))
      let start = ContinuousClock.now
      #expect(throws: TLSClientError.pending) { try client.handshake() }
      #expect(ContinuousClock.now - start >= .milliseconds(40))
    }
  }

  @Test(arguments: [true, false])
  func `a handshake with a server that does not speak TLS fails`(isBlocking: Bool) throws {
    try withSockets(isBlocking: isBlocking) { socket, peer in
      let client = try #require(TLSClient(socket.descriptor, isBlocking: isBlocking))
      let response = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
      #expect(response.withUnsafeBytes { if case .bytes = peer.send($0) { true } else { false } })
      #expect(throws: TLSClientError.failed) { try client.handshake() }
    }
  }
}
