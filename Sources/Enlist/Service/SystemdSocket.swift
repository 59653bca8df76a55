internal import FoundationEssentials
internal import Glibc

/// The socket that systemd passes to a service (`sd_listen_fds(3)`).
enum SystemdSocket {
  /// The first descriptor that systemd passes.
  private static let first: Int32 = 3

  /// Finds the socket.
  ///
  /// - Throws: `SystemdSocketError` unless systemd passed exactly one socket to this process.
  static func descriptor(
    environment: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()
  ) throws(SystemdSocketError) -> Int32 {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process else { throw .none }
    let count = environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0
    guard count > 0 else { throw .none }
    guard count == 1 else { throw .several(count) }
    return first
  }
}

/// A missing or ambiguous socket of systemd.
enum SystemdSocketError: Error, Hashable, Sendable {
  /// No socket was passed to this process.
  case none
  /// More than one socket was passed, so the choice is ambiguous.
  case several(Int32)
}

extension SystemdSocketError: CustomStringConvertible {
  /// A message of one line for the operator.
  var description: String {
    switch self {
    case .none: "--listen systemd: no socket was passed (LISTEN_PID, LISTEN_FDS)"
    case .several(let count): "--listen systemd: \(count) sockets were passed, expected one"
    }
  }
}
