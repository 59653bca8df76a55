internal import CGnuTLS

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
  package static let byteCount = 32

  /// Returns the hash of bytes, 32 bytes; the corresponding C function is `gnutls_hash_fast`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let status = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, bytes.count, buffer.baseAddress)
      GnuTLSStatus.require(status, of: "gnutls_hash_fast")
      count = byteCount
    }
  }
}
