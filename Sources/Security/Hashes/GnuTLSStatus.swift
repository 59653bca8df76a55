/// The status of functions that fail only without memory, or if the system forbids SHA-256.
enum GnuTLSStatus {
  /// Stops the process if a function has returned a negative status.
  ///
  /// Any other bytes would be accepted as a hash or a key, so the process cannot continue.
  static func require(_ status: Int32, of function: StaticString) {
    precondition(status >= 0, "\(function) failed with \(status)")
  }
}
