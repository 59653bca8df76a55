extension String {
  /// Returns whether the UTF-8 of the text begins with that of another.
  ///
  /// The comparison of two buffers takes a quarter of the time of `utf8.starts(with:)`: a path
  /// without a route is compared with a dozen patterns.
  @inlinable
  package func starts(withBytesOf prefix: String) -> Bool {
    let isPrefix = utf8.withContiguousStorageIfAvailable { bytes in
      prefix.utf8.withContiguousStorageIfAvailable { bytes.starts(with: $0) }
    }
    return isPrefix.flatMap(\.self) ?? utf8.starts(with: prefix.utf8)
  }
}
