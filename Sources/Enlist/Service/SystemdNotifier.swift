internal import Glibc

/// Tells systemd what the service is doing, where it asks for that (`sd_notify(3)`).
struct SystemdNotifier: Sendable {
  /// What the service is doing.
  enum State {
    /// It accepts connections, or has reloaded.
    case ready
    /// It reads its files again; `ready` follows.
    case reloading
    /// It ends.
    case stopping
  }

  /// The path of systemd's socket; in the abstract namespace when it begins with `@`.
  private let path: String

  /// Makes a notifier.
  ///
  /// There is none where nobody asks, or at an address of another kind.
  ///
  /// - Parameter environment: The environment of the process, where systemd says where it listens.
  init?(environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
      // The path and a NUL.
      path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return nil }
    self.path = path
  }

  /// Sends a state without waiting; what systemd does not take is lost.
  ///
  /// The corresponding C function is `sendto`.
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
      // systemd tells by the time whether the next READY=1 belongs to this reload.
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
    // A name in the abstract namespace begins with a NUL and is as long as it is said to be.
    let isAbstract = path.first == UInt8(ascii: "@")
    if isAbstract { path[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    return (address, socklen_t(start + path.count + (isAbstract ? 0 : 1)))
  }
}
