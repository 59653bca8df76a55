internal import FoundationEssentials
internal import Glibc

/// Reports the state of the service to systemd (`sd_notify(3)`).
struct SystemdNotifier: Sendable {
  enum State {
    /// The service accepts connections, or has finished a reload.
    case ready
    /// The service is reloading its files; `ready` follows.
    case reloading
    case stopping
  }

  /// The path of systemd's socket; a leading `@` means the abstract namespace.
  private let path: String

  /// Creates a notifier; `nil` without the address of a Unix domain socket.
  init?(environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
      // Leave room for the NUL after the path.
      path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return nil }
    self.path = path
  }

  /// Sends a state without waiting; a message that systemd does not accept is lost.
  func send(_ state: State) {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let message = Array(Self.message(of: state).utf8)
    var (address, size) = address
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = sendto(descriptor, message, message.count, flags, address, size)
      }
    }
  }

  private static func message(of state: State) -> String {
    switch state {
    case .ready: return "READY=1"
    case .stopping: return "STOPPING=1"
    case .reloading:
      // systemd uses the time to decide whether the next READY=1 belongs to this reload.
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return "RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)"
    }
  }

  private var address: (address: sockaddr_un, size: socklen_t) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(path.utf8)
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    // A name in the abstract namespace starts with a NUL, and the size of the address ends it.
    let isAbstract = path.first == UInt8(ascii: "@")
    if isAbstract { path[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    return (address, socklen_t(start + path.count + (isAbstract ? 0 : 1)))
  }
}

/// The descriptor of the socket that systemd passes to a service (`sd_listen_fds(3)`).
///
/// - Throws: Unless systemd passed exactly one socket to this process.
func systemdSocket() throws(Failure) -> Int32 {
  let environment = ProcessInfo.processInfo.environment
  let isMine = environment["LISTEN_PID"].flatMap { Int32($0) } == getpid()
  let count = environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0
  guard isMine, count > 0 else {
    throw Failure("--listen systemd: no socket was passed (LISTEN_PID, LISTEN_FDS)")
  }
  guard count == 1 else {
    throw Failure("--listen systemd: \(count) sockets were passed, expected one")
  }
  // The first descriptor that systemd passes.
  return 3
}
