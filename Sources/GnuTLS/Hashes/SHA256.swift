internal import CGnuTLS

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The number of bytes of a hash.
  package static let byteCount = 32

  /// Returns the hash of bytes; the corresponding C function is `gnutls_hash_fast`.
  ///
  /// - Parameter bytes: Any number of bytes.
  /// - Returns: 32 bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let status = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, bytes.count, buffer.baseAddress)
      GnuTLSStatus.require(status, of: "gnutls_hash_fast")
      count = byteCount
    }
  }
}
