internal import Glibc

/// How many descriptors the process may have open, and what that leaves for connections.
enum DescriptorLimit {
  /// Descriptors that are kept back for everything but connections.
  static let reserve = 64

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
}

extension Settings {
  /// Lowers the numbers of connections and streams until they fit the descriptors there are.
  ///
  /// - Parameter descriptors: How many there are; 64 of them are kept back.
  /// - Returns: The settings that fit, and the warning to log when something was lowered.
  func fitted(toDescriptors descriptors: Int) -> (settings: Settings, warning: String?) {
    let room = max(descriptors - DescriptorLimit.reserve, 1)
    guard maxConnections > room else { return (self, nil) }
    var fitted = self
    fitted.maxConnections = room
    fitted.maxStreams = min(maxStreams, room)
    var warning =
      "only \(descriptors) descriptors may be open: max-connections is lowered from"
      + " \(maxConnections) to \(fitted.maxConnections)"
    if fitted.maxStreams < maxStreams {
      warning += ", max-streams from \(maxStreams) to \(fitted.maxStreams)"
    }
    return (fitted, warning)
  }
}
