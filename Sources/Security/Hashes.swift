internal import CGnuTLS

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
  package static let byteCount = 32

  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    written(byteCount, by: "gnutls_hash_fast") {
      gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, bytes.count, $0)
    }
  }
}

/// The message authentication code HMAC with SHA-256 (RFC 2104), 32 bytes.
package enum HMACSHA256 {
  package static let byteCount = 32

  package static func authenticate(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { authenticate($0, key: key) }
  }

  package static func authenticate(_ bytes: UnsafeBufferPointer<UInt8>, key: [UInt8]) -> [UInt8] {
    written(byteCount, by: "gnutls_hmac_fast") {
      gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, bytes.baseAddress, bytes.count, $0)
    }
  }
}

/// The key derivation function HKDF with SHA-256 (RFC 5869).
package enum HKDFSHA256 {
  /// The maximum number of bytes of a derived key: 255 hashes.
  package static let maximumByteCount = 255 * SHA256.byteCount

  /// Derives a key of 1 to ``maximumByteCount`` bytes from a secret, which must have the entropy of
  /// at least one key; extracts first, then expands.
  package static func derive(
    from secret: [UInt8], salt: [UInt8] = [], info: [UInt8], byteCount: Int = SHA256.byteCount
  ) -> [UInt8] {
    expand(extract(from: secret, salt: salt), info: info, byteCount: byteCount)
  }

  /// Creates a pseudorandom key of 32 bytes from a secret (RFC 5869 §2.2).
  package static func extract(from secret: [UInt8], salt: [UInt8]) -> [UInt8] {
    written(SHA256.byteCount, by: "gnutls_hkdf_extract") { key in
      withDatum(secret) { secret in
        withDatum(salt) { salt in gnutls_hkdf_extract(GNUTLS_MAC_SHA256, secret, salt, key) }
      }
    }
  }

  /// Derives 1 to ``maximumByteCount`` bytes from a pseudorandom key (RFC 5869 §2.3).
  package static func expand(_ key: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
    written(byteCount, by: "gnutls_hkdf_expand") { derived in
      withDatum(key) { key in
        withDatum(info) { info in
          gnutls_hkdf_expand(GNUTLS_MAC_SHA256, key, info, derived, byteCount)
        }
      }
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

/// Random bytes for keys, and the comparison of secret bytes.
package enum SecureBytes {
  package static func random(count: Int) -> [UInt8] {
    written(count, by: "gnutls_rnd") { gnutls_rnd(GNUTLS_RND_KEY, $0, count) }
  }

  /// Compares bytes in a time that depends only on their number.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && gnutls_memcmp(left, right, left.count) == 0
  }
}

/// A hash by which a store recognizes texts that it already contains.
package enum TextHash {
  /// Returns the SHA-256 of texts in their order, each with its length before it, so that different
  /// texts never have the same bytes.
  package static func sha256(of texts: [String]) -> [UInt8] {
    SHA256.hash(texts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
  }
}

/// Returns the bytes that a function of GnuTLS writes.
///
/// It fails only without memory, or if the system forbids SHA-256. Any other bytes would be accepted
/// as a hash or a key, so the process stops.
private func written(
  _ byteCount: Int, by function: StaticString, _ write: (UnsafeMutablePointer<UInt8>?) -> Int32
) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
    let status = write(buffer.baseAddress)
    precondition(status >= 0, "\(function) failed with \(status)")
    count = byteCount
  }
}
