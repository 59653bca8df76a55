/// Why a daemon did not start.
package enum DaemonError: Error, Hashable, Sendable {
  /// The address could not be bound: taken, not of this machine, or not permitted.
  case cannotListen(address: String, errorNumber: Int32)
  /// The kernel gave no descriptor or no thread.
  case system(function: String, errorNumber: Int32)
  /// libmicrohttpd refused its options; its own words were logged.
  case refused
}
