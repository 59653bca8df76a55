internal import CGnuTLS

/// The message authentication code HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
  package static let byteCount = 32

  /// Returns the code of bytes, 32 bytes; the corresponding C function is `gnutls_hmac_fast`.
  package static func authenticate(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { authenticate($0, key: key) }
  }

  /// Returns the code of bytes without copying them; the corresponding C function is
  /// `gnutls_hmac_fast`.
  package static func authenticate(_ bytes: UnsafeBufferPointer<UInt8>, key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let status = gnutls_hmac_fast(
        GNUTLS_MAC_SHA256, key, key.count, bytes.baseAddress, bytes.count, buffer.baseAddress)
      GnuTLSStatus.require(status, of: "gnutls_hmac_fast")
      count = byteCount
    }
  }
}
