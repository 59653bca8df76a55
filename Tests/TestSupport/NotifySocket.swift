internal import Glibc

/// A substitute for systemd's notification socket, with one message per datagram.
package final class NotifySocket {
  /// The address in the format of `NOTIFY_SOCKET`.
  package let name: String

  private let descriptor: Int32

  /// Makes a socket that a process may write to.
  ///
  /// - Parameter name: A path, or `@` and a name in the abstract namespace.
  /// - Throws: `TestSystemError`.
  package init(_ name: String) throws(TestSystemError) {
    self.name = name
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw .last("socket") }
    let isAbstract = name.hasPrefix("@")
    let outcome = LocalSocket.withAddress(path: isAbstract ? "\0" + name.dropFirst() : name) {
      // The size covers the family, and the name without a final NUL.
      bind(descriptor, $0, isAbstract ? 2 + socklen_t(name.utf8.count) : $1)
    }
    guard outcome == 0 else { throw .last("bind") }
  }

  deinit {
    close(descriptor)
  }

  /// Reads the next message.
  ///
  /// - Parameter deadline: The time by which the message must arrive.
  /// - Returns: The lines of the message.
  /// - Throws: `TestSystemError`.
  package func read(by deadline: Deadline = .soon) throws(TestSystemError) -> [String] {
    var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    try deadline.wait(for: &waiting)
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw .last("recv") }
    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }
}
