internal import CGnuTLS

/// The message authentication code HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
  /// The number of bytes of a code.
  package static let byteCount = 32

  /// Returns the code of bytes; the corresponding C function is `gnutls_hmac_fast`.
  ///
  /// - Parameter bytes: Any number of bytes.
  /// - Returns: 32 bytes.
  package static func authenticate(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { authenticate($0, key: key) }
  }

  /// Returns the code of bytes that the caller lends; the corresponding C function is
  /// `gnutls_hmac_fast`.
  ///
  /// - Parameter bytes: Any number of bytes, which are not copied.
  /// - Returns: 32 bytes.
  package static func authenticate(
    _ bytes: UnsafeBufferPointer<UInt8>,
    key: [UInt8]
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let status = gnutls_hmac_fast(
        GNUTLS_MAC_SHA256,
        key,
        key.count,
        bytes.baseAddress,
        bytes.count,
        buffer.baseAddress
      )
      GnuTLSStatus.require(status, of: "gnutls_hmac_fast")
      count = byteCount
    }
  }
}
