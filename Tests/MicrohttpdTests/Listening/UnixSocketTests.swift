import Foundation
import HTTPSignals
import Locks
import Microhttpd
import TestSupport
import Testing

/// A daemon at a socket in the file system.
@Suite struct UnixSocketTests {
  private func configuration(at path: String) -> Daemon.Configuration {
    var configuration = Daemon.Configuration.test()
    configuration.endpoint = .unix(path: path)
    return configuration
  }

  private func error(at path: String) -> Int32? {
    do throws(DaemonError) {
      _ = try Daemon(configuration(at: path))
    } catch {
      if case .cannotListen("unix:\(path)", let number) = error { return number }
    }
    return nil
  }

  @Test func `answers, knows its clients as local, and removes the socket`() async throws {
    let folder = try TemporaryFolder()
    let socket = folder.path(of: "socket")
    let clients = Lock<[ClientAddress]>([])
    try await TestServer.run(
      configure: { $0.endpoint = .unix(path: socket) },
      handler: { exchange in
        clients.withLock { $0.append(exchange.request.client) }
        exchange.respond(.text("answered"))
      },
      test: { server in
        #expect(server.daemon.endpoint == .unix(path: socket))
        let attributes = try FileManager.default.attributesOfItem(atPath: socket)
        #expect(attributes[.posixPermissions] as? Int == 0o660)
        let client = try SocketClient(path: socket)
        for _ in 0..<2 {
          try client.request("GET", "/")
          #expect(try client.readResponse().text == "answered")
        }
      }
    )
    #expect(clients.withLock { $0 } == [.local, .local])
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `says nothing for ever is closed there, too`() async throws {
    let folder = try TemporaryFolder()
    let socket = folder.path(of: "socket")
    try await TestServer.run(
      configure: {
        $0.endpoint = .unix(path: socket)
        $0.requestTimeout = .milliseconds(200)
      },
      handler: { $0.respond(.text("answered")) },
      test: { _ in
        let client = try SocketClient(path: socket)
        try client.send("GET / HTTP/1.1\r\n")
        #expect(try client.readToEnd().isEmpty)
      }
    )
  }

  @Test func `takes the place of a socket at which nobody listens`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "socket")
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    #expect(result == 0)
    close(descriptor)
    #expect(FileManager.default.fileExists(atPath: path))
    try await TestServer.run(
      configure: { $0.endpoint = .unix(path: path) },
      handler: { $0.respond(.text("answered")) },
      test: { _ in
        let client = try SocketClient(path: path)
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "answered")
      }
    )
  }

  @Test func `leaves a socket alone at which somebody listens`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "socket")
    try await TestServer.run(
      configure: { $0.endpoint = .unix(path: path) },
      handler: { $0.respond(.text("answered")) },
      test: { _ in
        #expect(error(at: path) == EADDRINUSE)
        let client = try SocketClient(path: path)
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "answered")
      }
    )
  }

  @Test func `leaves a file alone that is no socket`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("precious", to: "file")
    #expect(error(at: path) == EADDRINUSE)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func `does not remove the socket of its successor`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "socket")
    let first = try Daemon(configuration(at: path))
    try FileManager.default.removeItem(atPath: path)
    let second = try Daemon(configuration(at: path))
    await first.stop(drain: .zero)
    #expect(FileManager.default.fileExists(atPath: path))
    await second.stop(drain: .zero)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `tells that a path is too long, or leads nowhere`() throws {
    let folder = try TemporaryFolder()
    #expect(error(at: folder.path(of: String(repeating: "x", count: 108))) == ENAMETOOLONG)
    #expect(error(at: folder.path(of: "none/socket")) == ENOENT)
  }
}
