import Glibc
import Platform
import Testing

/// Tests of socket addresses in C, and of the sockets that use them.
@Suite struct SocketAddressTests {
  private func bytes(of address: SocketAddress) -> [UInt8] {
    address.withSocketAddress { pointer, size in
      Array(UnsafeRawBufferPointer(start: pointer, count: Int(size)))
    }
  }

  @Test func `a socket address in C is in network byte order`() throws {
    let four = SocketAddress.network(try #require(HostAndPort("1.2.3.4:258")))
    #expect(bytes(of: four)[2..<8] == [1, 2, 1, 2, 3, 4])
    let six = SocketAddress.network(try #require(HostAndPort("[102:304::506]:258")))
    #expect(bytes(of: six)[2..<4] == [1, 2])
    #expect(bytes(of: six)[8..<24] == [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6])
  }

  @Test func `a path in C ends with a null byte, also if it is too long`() {
    #expect(bytes(of: .unix(path: "/a"))[2..<5] == [0x2F, 0x61, 0])
    let long = String(repeating: "a", count: SocketAddress.maximumPathBytes + 1)
    #expect(bytes(of: .unix(path: long)).last == 0)
  }

  @Test func `a bound socket has the address and the port that the system picked`() throws {
    let endpoint = try #require(HostAndPort("127.0.0.1:0"))
    let socket = try RawSocket(family: SocketAddress.network(endpoint).family)
    defer { socket.close() }
    try socket.bind(to: .network(endpoint))
    guard case .network(let bound)? = SocketAddress(boundTo: socket.descriptor) else {
      Issue.record("the socket has no IP address")
      return
    }
    #expect(bound.host == endpoint.host)
    #expect(bound.port != 0)
  }

  @Test func `a descriptor that is not a socket has no address`() {
    #expect(SocketAddress(boundTo: -1) == nil)
  }

  @Test func `a failed call throws its error number`() throws {
    let socket = try RawSocket(family: AF_UNIX)
    defer { socket.close() }
    do throws(SocketError) {
      try socket.bind(to: .unix(path: "/nonexistent/socket"))
      Issue.record("the socket is bound")
    } catch {
      #expect(error.errorNumber == ENOENT)
    }
  }
}
