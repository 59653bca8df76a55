internal import CGnuTLS

/// A certificate and its key, with which a daemon proves who it is.
package struct TLSIdentity: Sendable {
  /// The chain of certificates, PEM, and a NUL.
  private var certificate: [UInt8]
  /// The key, PEM, and a NUL.
  private var key: [UInt8]

  /// Checks that both can be used, and belong to each other.
  ///
  /// - Parameters:
  ///   - certificate: The certificate and those that lead to its authority, PEM.
  ///   - key: Its private key, PEM, without a password.
  /// - Throws: `TLSIdentityError`.
  package init(certificate: [UInt8], key: [UInt8]) throws(TLSIdentityError) {
    var certificate = certificate + [0]
    var key = key + [0]
    let code = Self.check(&certificate, &key)
    guard code >= 0 else {
      let reason = gnutls_strerror(code).map { String(cString: $0) } ?? "code \(code)"
      throw TLSIdentityError(reason: reason)
    }
    self.certificate = certificate
    self.key = key
  }

  /// Lends the certificate, the key, and which versions of TLS are spoken, as C has them.
  mutating func withCStrings<Result>(
    _ body: (
      _ certificate: UnsafeMutableRawPointer?,
      _ key: UnsafeMutableRawPointer?,
      _ priorities: UnsafeMutableRawPointer?
    ) -> Result
  ) -> Result {
    // RFC 8996: the versions before 1.2 must not be used.
    var priorities = Array("NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2\0".utf8)
    return certificate.withUnsafeMutableBytes { certificate in
      key.withUnsafeMutableBytes { key in
        priorities.withUnsafeMutableBytes { priorities in
          body(certificate.baseAddress, key.baseAddress, priorities.baseAddress)
        }
      }
    }
  }

  /// The corresponding C function is `gnutls_certificate_set_x509_key_mem2`.
  private static func check(_ certificate: inout [UInt8], _ key: inout [UInt8]) -> Int32 {
    var credentials: gnutls_certificate_credentials_t?
    let code = gnutls_certificate_allocate_credentials(&credentials)
    guard code >= 0, let credentials else { return code }
    defer { gnutls_certificate_free_credentials(credentials) }
    return certificate.withUnsafeMutableBufferPointer { certificate in
      key.withUnsafeMutableBufferPointer { key in
        // Without the NUL, which is libmicrohttpd's.
        var certificate = gnutls_datum_t(
          data: certificate.baseAddress,
          size: UInt32(certificate.count - 1)
        )
        var key = gnutls_datum_t(data: key.baseAddress, size: UInt32(key.count - 1))
        return gnutls_certificate_set_x509_key_mem2(
          credentials,
          &certificate,
          &key,
          GNUTLS_X509_FMT_PEM,
          nil,
          0
        )
      }
    }
  }
}

/// Why a certificate and a key cannot be used.
package struct TLSIdentityError: Error, Hashable, Sendable {
  /// In the words of GnuTLS.
  package let reason: String
}
