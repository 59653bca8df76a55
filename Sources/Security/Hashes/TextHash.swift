/// A hash by which a store recognizes texts that it already contains.
package enum TextHash {
  /// Returns the SHA-256 of texts in their order, 32 bytes.
  ///
  /// Each text is hashed with its length before it, so different texts never have the same bytes.
  package static func sha256(of texts: [String]) -> [UInt8] {
    SHA256.hash(texts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
  }
}
