extension String {
  /// Creates a text from a buffer of fixed size that a C function has filled.
  ///
  /// The text ends before the first null byte, or with the buffer if there is none. Bytes that are
  /// not UTF-8 are replaced by U+FFFD.
  @inlinable
  package init(cBuffer buffer: [CChar]) {
    self = buffer.withUnsafeBytes { String(cBuffer: $0) }
  }

  /// Creates a text from raw memory of fixed size, such as the path in a `sockaddr_un`.
  ///
  /// The text ends before the first null byte, or with the memory if there is none. Bytes that are
  /// not UTF-8 are replaced by U+FFFD.
  @inlinable
  package init(cBuffer buffer: UnsafeRawBufferPointer) {
    self.init(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
  }
}
