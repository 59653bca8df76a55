internal import CGnuTLS

/// The key derivation function HKDF with SHA-256 (RFC 5869).
package enum HKDFSHA256 {
  /// The maximum number of bytes of a derived key: 255 hashes.
  package static let maximumByteCount = 255 * SHA256.byteCount

  /// Derives a key of 1 to ``maximumByteCount`` bytes; extracts first, then expands.
  ///
  /// The secret must have the entropy of at least one key.
  package static func derive(
    from secret: [UInt8], salt: [UInt8] = [], info: [UInt8], byteCount: Int = SHA256.byteCount
  ) -> [UInt8] {
    expand(extract(from: secret, salt: salt), info: info, byteCount: byteCount)
  }

  /// Creates a pseudorandom key of 32 bytes from a secret (RFC 5869 §2.2).
  ///
  /// The corresponding C function is `gnutls_hkdf_extract`.
  package static func extract(from secret: [UInt8], salt: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
      let status = withDatum(secret) { secret in
        withDatum(salt) { salt in
          gnutls_hkdf_extract(GNUTLS_MAC_SHA256, secret, salt, buffer.baseAddress)
        }
      }
      GnuTLSStatus.require(status, of: "gnutls_hkdf_extract")
      count = SHA256.byteCount
    }
  }

  /// Derives 1 to ``maximumByteCount`` bytes from a pseudorandom key (RFC 5869 §2.3).
  ///
  /// The corresponding C function is `gnutls_hkdf_expand`.
  package static func expand(_ key: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let status = withDatum(key) { key in
        withDatum(info) { info in
          gnutls_hkdf_expand(GNUTLS_MAC_SHA256, key, info, buffer.baseAddress, byteCount)
        }
      }
      GnuTLSStatus.require(status, of: "gnutls_hkdf_expand")
      count = byteCount
    }
  }

  /// Lends bytes to a C function that only reads them.
  private static func withDatum<Result>(
    _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
      var datum = gnutls_datum_t(
        data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(buffer.count))
      return body(&datum)
    }
  }
}
