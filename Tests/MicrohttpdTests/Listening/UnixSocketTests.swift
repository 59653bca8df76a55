import Foundation
import HTTPSignals
import Signals
import Microhttpd
import Platform
import TestSupport
import Testing

/// A daemon that listens on a Unix socket.
@Suite struct UnixSocketTests {
  private func options(at path: String) -> DaemonOptions {
    var options = DaemonOptions.test()
    options.endpoint = .address(.unix(path: path))
    return options
  }

  private func error(at path: String) -> Int32? {
    do throws(DaemonError) {
      _ = try Daemon(options(at: path))
    } catch {
      if case .cannotListen("unix:\(path)", let number) = error { return number }
    }
    return nil
  }

  @Test func `a daemon serves local clients over a Unix socket and removes it when it stops`()
    async throws
  {
    let folder = try Folder()
    let socket = folder("socket")
    let clients = Lock<[ClientAddress]>([])
    try await TestServer.run(
      configure: { $0.endpoint = .address(.unix(path: socket)) },
      handler: { exchange in
        clients.withLock { $0.append(exchange.request.client) }
        exchange.respond(.text("responded"))
      },
      test: { server in
        #expect(server.daemon.endpoint == .address(.unix(path: socket)))
        let attributes = try FileManager.default.attributesOfItem(atPath: socket)
        #expect(attributes[.posixPermissions] as? Int == 0o660)
        let client = try Client(path: socket)
        for _ in 0..<2 {
          try client.request("GET", "/")
          #expect(try client.readResponse().text == "responded")
        }
      }
    )
    #expect(clients.withLock { $0 } == [.local, .local])
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `the request timeout applies to connections over a Unix socket`() async throws {
    let folder = try Folder()
    let socket = folder("socket")
    try await TestServer.run(
      configure: {
        $0.endpoint = .address(.unix(path: socket))
        $0.connections.requestTimeout = .milliseconds(200)
      },
      handler: { $0.respond(.text("responded")) },
      test: { _ in
        let client = try Client(path: socket)
        try client.send("GET / HTTP/1.1\r\n")
        #expect(try client.readResponse().status == 408)
        #expect(try client.readToEnd().isEmpty)
        // The kernel does not count the bytes of such a socket, so that nobody knows of these.
        let silent = try Client(path: socket)
        try silent.send("GET")
        #expect(try silent.readToEnd().isEmpty)
      }
    )
  }

  @Test func `replaces a Unix socket on which no process listens`() async throws {
    let folder = try Folder()
    let path = folder("socket")
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
      configure: { $0.endpoint = .address(.unix(path: path)) },
      handler: { $0.respond(.text("responded")) },
      test: { _ in
        let client = try Client(path: path)
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "responded")
      }
    )
  }

  @Test func `does not replace a Unix socket on which another daemon listens`() async throws {
    let folder = try Folder()
    let path = folder("socket")
    try await TestServer.run(
      configure: { $0.endpoint = .address(.unix(path: path)) },
      handler: { $0.respond(.text("responded")) },
      test: { _ in
        #expect(error(at: path) == EADDRINUSE)
        let client = try Client(path: path)
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "responded")
      }
    )
  }

  @Test func `does not replace a file that is not a socket`() throws {
    let folder = try Folder()
    let path = try folder.write("precious", to: "file")
    #expect(error(at: path) == EADDRINUSE)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func `a stopped daemon does not remove the Unix socket of its successor`() async throws {
    let folder = try Folder()
    let path = folder("socket")
    let first = try Daemon(options(at: path))
    try FileManager.default.removeItem(atPath: path)
    let second = try Daemon(options(at: path))
    await first.stop(drain: .zero)
    #expect(FileManager.default.fileExists(atPath: path))
    await second.stop(drain: .zero)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `reports a socket path that is too long or in a missing folder`() throws {
    let folder = try Folder()
    #expect(error(at: folder(String(repeating: "x", count: 108))) == ENAMETOOLONG)
    #expect(error(at: folder("none/socket")) == ENOENT)
  }
}
