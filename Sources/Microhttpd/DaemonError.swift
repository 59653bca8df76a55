internal import Glibc

/// An error that keeps a daemon from starting.
package enum DaemonError: Error, Hashable, Sendable {
  /// The address could not be bound: it is in use, not an address of this machine, or not
  /// permitted.
  case cannotListen(address: String, errorNumber: Int32)
  /// A system call failed: the kernel had no file descriptor or no thread left, for example.
  case system(function: String, errorNumber: Int32)
  /// libmicrohttpd rejected its options and logged the reason.
  case libraryNotStarted
  /// GnuTLS had no memory or no random numbers for the keys.
  case tlsNotStarted
}

extension DaemonError: CustomStringConvertible {
  /// One sentence for the operator; `strerror` supplies the reason.
  package var description: String {
    switch self {
    case .cannotListen(let address, let number):
      "Cannot listen on \(address): \(String(cString: strerror(number)))."
    case .system(let function, let number):
      "\(function) failed: \(String(cString: strerror(number)))."
    case .libraryNotStarted:
      "libmicrohttpd did not start; see the log for its message."
    case .tlsNotStarted:
      "TLS did not start: GnuTLS had no memory or no random numbers."
    }
  }
}
