/// The status of functions that fail only without memory, or where the system forbids SHA-256.
enum GnuTLSStatus {
  /// Stops the process if a function failed.
  ///
  /// A hash or a key of anything but the function's output would be accepted as one, so there is
  /// nothing to continue with.
  ///
  /// - Parameter status: The returned status, negative if the function failed.
  static func require(_ status: Int32, of function: StaticString) {
    precondition(status >= 0, "\(function) failed with \(status)")
  }
}
