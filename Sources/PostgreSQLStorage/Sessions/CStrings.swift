internal import Glibc

/// The conversion of strings to C arrays.
enum CStrings {
  /// Calls a closure with strings as a C array: pointers to strings, then a null pointer.
  ///
  /// Without memory for the strings, it returns `nil` and does not call the closure: a null pointer
  /// would hide the strings after it, such as the requirement of TLS.
  ///
  /// - Parameter body: The closure; the pointers are valid until it returns.
  static func with<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value?
  ) -> Value? {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    guard !copies.contains(nil) else { return nil }
    let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
    return pointers.withUnsafeBufferPointer { buffer in
      // The array is never empty, so its address is not null.
      withUnsafePointer(to: UnsafePointer<CChar>?.none) { none in
        body(buffer.baseAddress ?? none)
      }
    }
  }
}
