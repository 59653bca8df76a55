internal import Glibc

/// The limit on open file descriptors of the process.
enum DescriptorLimit {
  /// Raises the soft limit to the hard limit.
  ///
  /// The corresponding C function is `setrlimit`.
  static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    var raised = limit
    raised.rlim_cur = raised.rlim_max
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }

  /// Returns the number of descriptors reserved for everything except connections.
  ///
  /// The reserve is 64, plus 32 per event loop: a loop has a few descriptors of its own, and
  /// accepts some additional connections in order to reject them. The operator's listener, `nil` if
  /// there is none, is one more loop, with its own connections.
  static func reserve(loopCount: Int, operatorConnections: Int?) -> Int {
    64 + 32 * loopCount + (operatorConnections.map { 32 + $0 } ?? 0)
  }
}
