internal import Foundation
internal import Glibc
internal import Signals

/// A DNS server on the loopback address that knows a few names and records its questions.
package final class DNSTestServer: Sendable {
  /// A record of a name.
  package enum Record: Sendable {
    /// A mail server, with its preference; the empty name is the root.
    case mx(UInt16, String)
    case a(UInt8, UInt8, UInt8, UInt8)
    case aaaa([UInt8])
    case txt(String)

    fileprivate var type: UInt16 {
      switch self {
      case .a: 1
      case .mx: 15
      case .txt: 16
      case .aaaa: 28
      }
    }

    fileprivate var data: [UInt8] {
      switch self {
      case .mx(let preference, let name): bigEndian(preference) + labels(of: name)
      case .a(let first, let second, let third, let fourth): [first, second, third, fourth]
      case .aaaa(let bytes): bytes
      case .txt(let text): [UInt8(text.utf8.count)] + Array(text.utf8)
      }
    }
  }

  /// The response to a query for a name.
  package enum TestResponse: Sendable {
    /// These records; a type without a record gets an empty answer.
    case records([Record])
    /// The name does not exist.
    case noDomain
    /// The server failed.
    case failure
    /// These bytes, which the response claims to be one record.
    case bytes([UInt8])
    /// No response.
    case silence
  }

  /// The port on 127.0.0.1.
  package let port: Int
  private let names: [String: TestResponse]
  private let descriptor: Int32
  private let questions = Lock<[String]>([])

  /// Starts a server on a free port.
  ///
  /// - Parameter names: The responses, keyed by name; any other name does not exist.
  package init(_ names: [String: TestResponse]) throws {
    self.names = names
    let server = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard server >= 0 else { throw TestSystemError.last("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { address in
        bind(server, address.baseAddress, length) == 0
          && getsockname(server, address.baseAddress, &length) == 0
      }
    }
    guard isBound else { throw TestSystemError.last("bind") }
    port = Int(UInt16(bigEndian: address.sin_port))
    descriptor = server
    Thread.detachNewThread { [weak self] in
      var query = [UInt8](repeating: 0, count: 512)
      while true {
        var client = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &client) { raw in
          raw.withMemoryRebound(to: sockaddr.self) { client in
            let count = recvfrom(server, &query, query.count, 0, client.baseAddress, &size)
            guard count > 12, let reply = self?.reply(to: query[..<count]) else { return }
            sendto(server, reply, reply.count, 0, client.baseAddress, size)
          }
        }
        // The deinit has sent the datagram that ends the read.
        if self == nil { break }
      }
      close(server)
    }
  }

  deinit {
    // Wakes the read with a datagram, since an unconnected UDP socket cannot be shut down.
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    withUnsafeMutableBytes(of: &address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { address in
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        sendto(descriptor, [0], 1, 0, address.baseAddress, size)
      }
    }
  }

  /// The received questions in order, each as the name, a space, and the number of the type.
  package var asked: [String] { questions.withLock { $0 } }

  /// Makes the response to a query with one question (RFC 1035 §4.1).
  private func reply(to query: ArraySlice<UInt8>) -> [UInt8]? {
    var labels: [String] = []
    var index = 12
    while index < query.count, query[index] > 0 {
      let end = index + 1 + Int(query[index])
      guard end < query.count else { return nil }
      labels.append(String(decoding: query[(index + 1)..<end], as: UTF8.self))
      index = end
    }
    guard index + 5 <= query.count else { return nil }
    let question = query[12..<(index + 5)]
    let type = UInt16(query[index + 1]) << 8 | UInt16(query[index + 2])
    let name = labels.joined(separator: ".").lowercased()
    questions.withLock { $0.append("\(name) \(type)") }
    var records: [Record] = []
    let code: UInt8
    switch names[name] ?? .noDomain {
    case .records(let all):
      records = all.filter { $0.type == type }
      code = 0
    case .bytes(let bytes):
      return Array(query[..<2]) + [0x81, 0x80] + bigEndian(1) + bigEndian(1) + bigEndian(0)
        + bigEndian(0) + question + bytes
    case .failure: code = 2
    case .noDomain: code = 3
    case .silence: return nil
    }
    var reply = Array(query[..<2]) + [0x81, 0x80 | code] + bigEndian(1)
    reply += bigEndian(UInt16(records.count)) + bigEndian(0) + bigEndian(0) + question
    for record in records {
      // A pointer to the name in the question, and a TTL of 300 seconds.
      reply += [0xC0, 0x0C] + bigEndian(record.type) + bigEndian(1) + [0, 0, 1, 44]
      reply += bigEndian(UInt16(record.data.count)) + record.data
    }
    return reply
  }
}

private func bigEndian(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

private func labels(of name: String) -> [UInt8] {
  name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
}
