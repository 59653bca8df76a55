internal import Glibc

/// A substitute for systemd's notification socket, with one message per datagram.
package final class NotifySocket {
  /// The address in the format of `NOTIFY_SOCKET`.
  package let name: String

  private let descriptor: Int32

  /// Makes a socket that a process may write to.
  ///
  /// - Parameter name: A path, or `@` and a name in the abstract namespace.
  package init(_ name: String) throws {
    self.name = name
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw TestSystemError.last("socket") }
    let isAbstract = name.hasPrefix("@")
    let outcome = LocalSocket.withAddress(path: isAbstract ? "\0" + name.dropFirst() : name) {
      // The size covers the family, and the name without a final NUL.
      bind(descriptor, $0, isAbstract ? 2 + socklen_t(name.utf8.count) : $1)
    }
    guard outcome == 0 else { throw TestSystemError.last("bind") }
  }

  deinit {
    close(descriptor)
  }

  /// Waits for the next message, and returns its lines.
  package func read(within time: Duration = patience) throws -> [String] {
    try wait(of: descriptor, within: time)
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw TestSystemError.last("recv") }
    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }
}
