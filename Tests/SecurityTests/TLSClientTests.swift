import Security
import Glibc
import Platform
import Testing

/// Tests of the TLS client against a peer that does not speak TLS.
@Suite struct TLSClientTests {
  /// Calls a closure with both ends of a socket pair, and closes them afterwards.
  private func withSockets(_ body: (_ client: RawSocket, _ peer: RawSocket) throws -> Void) throws {
    var ends: [Int32] = [-1, -1]
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue
    try #require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0)
    let (client, peer) = (RawSocket(ends[0]), RawSocket(ends[1]))
    defer {
      client.close()
      peer.close()
    }
    try body(client, peer)
  }

  @Test func `a handshake does not wait for the server`() throws {
    try withSockets { socket, peer in
      let client = try #require(TLSClient(socket.descriptor))
      #expect(throws: TLSClientError.pending) { try client.handshake() }
      // The record that begins the handshake has been sent.
      #expect(try peer.receive(1) == [22])
      #expect(throws: TLSClientError.pending) { try client.handshake() }
    }
  }

  @Test func `a handshake with a server that does not speak TLS fails`() throws {
    try withSockets { socket, peer in
      let client = try #require(TLSClient(socket.descriptor))
      let response = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
      #expect(response.withUnsafeBytes { if case .bytes = peer.send($0) { true } else { false } })
      #expect(throws: TLSClientError.failed) { try client.handshake() }
    }
  }
}
