internal import Glibc

/// Why a daemon did not start.
package enum DaemonError: Error, Hashable, Sendable {
  /// The address could not be bound: taken, not of this machine, or not permitted.
  case cannotListen(address: String, errorNumber: Int32)
  /// The kernel gave no descriptor or no thread.
  case system(function: String, errorNumber: Int32)
  /// libmicrohttpd rejected its options; its own words were logged.
  case libraryNotStarted
}

extension DaemonError: CustomStringConvertible {
  /// One sentence for the operator; the reason in the words of `strerror`.
  package var description: String {
    switch self {
    case .cannotListen(let address, let number):
      "Cannot listen on \(address): \(String(cString: strerror(number)))."
    case .system(let function, let number):
      "\(function) failed: \(String(cString: strerror(number)))."
    case .libraryNotStarted:
      "libmicrohttpd did not start; its own words are in the log."
    }
  }
}
