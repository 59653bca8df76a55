internal import Glibc

/// Arrays of C strings.
enum CStrings {
  /// Calls a closure with strings as a C array: pointers to strings, then a null pointer.
  ///
  /// - Parameter body: The closure; the pointers are valid while it runs.
  /// - Returns: The result of `body`; `nil` without memory for the strings, of which a null pointer
  ///   would hide the rest, such as the demand for TLS.
  static func with<Value>(
    _ texts: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value?
  ) -> Value? {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    guard !copies.contains(nil) else { return nil }
    let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
    return pointers.withUnsafeBufferPointer { buffer in
      // The array has at least one element.
      withUnsafePointer(to: UnsafePointer<CChar>?.none) { none in
        body(buffer.baseAddress ?? none)
      }
    }
  }
}
