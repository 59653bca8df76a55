internal import CGnuTLS

/// Random bytes for keys, and the comparison of secret bytes.
package enum SecureBytes {
  /// Returns random bytes that are fit for keys; the corresponding C function is `gnutls_rnd`.
  package static func random(count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      GnuTLSStatus.require(gnutls_rnd(GNUTLS_RND_KEY, buffer.baseAddress, count), of: "gnutls_rnd")
      initializedCount = count
    }
  }

  /// Compares bytes in a time that depends only on their number.
  ///
  /// The corresponding C function is `gnutls_memcmp`.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && gnutls_memcmp(left, right, left.count) == 0
  }
}
