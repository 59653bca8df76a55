internal import Glibc

/// How many descriptors the process may have open.
enum DescriptorLimit {
  /// Raises the soft limit to the hard one; the corresponding C function is `setrlimit`.
  ///
  /// - Returns: How many descriptors there are now.
  static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    var raised = limit
    raised.rlim_cur = raised.rlim_max
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }

  /// Descriptors that are kept back for everything but connections: 64, and 32 for each loop, which
  /// has a few of its own and takes some more connections in order to turn them away.
  ///
  /// - Parameter loopCount: How many loops serve connections.
  /// - Returns: How many are kept back.
  static func reserve(loopCount: Int) -> Int { 64 + 32 * loopCount }
}
