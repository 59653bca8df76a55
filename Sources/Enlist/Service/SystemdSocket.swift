internal import Glibc

/// The socket that systemd passes to a service (`sd_listen_fds(3)`).
enum SystemdSocket {
  /// The first descriptor that is passed.
  private static let first: Int32 = 3

  /// Finds the socket.
  ///
  /// - Parameters:
  ///   - environment: The environment of the process, where systemd says what it passes to whom.
  ///   - process: The process.
  /// - Returns: Its descriptor.
  /// - Throws: `SystemdSocketError` unless exactly one was passed to this process.
  static func descriptor(
    environment: [String: String],
    process: Int32 = getpid()
  ) throws(SystemdSocketError) -> Int32 {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process else { throw .none }
    let count = environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0
    guard count > 0 else { throw .none }
    guard count == 1 else { throw .several(count) }
    return first
  }
}

/// Why there is no socket to listen at.
enum SystemdSocketError: Error, Hashable, Sendable {
  /// Nothing was passed to this process.
  case none
  /// Which one is meant cannot be told.
  case several(Int32)
}

extension SystemdSocketError: CustomStringConvertible {
  /// One sentence for the operator.
  var description: String {
    switch self {
    case .none: "--listen is \"systemd\": no socket was passed (LISTEN_PID, LISTEN_FDS)"
    case .several(let count): "--listen is \"systemd\": \(count) sockets were passed, not one"
    }
  }
}
