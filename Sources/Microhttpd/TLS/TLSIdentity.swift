internal import CGnuTLS

/// A certificate and its key, with which a daemon proves who it is.
package struct TLSIdentity: Sendable {
  /// Which versions, ciphers and key exchanges a server speaks, as GnuTLS writes it.
  ///
  /// RFC 8996: versions before 1.2 must not be used. RFC 9325 §4: of TLS 1.2, only cipher suites with
  /// forward secrecy and authenticated encryption.
  static let priorities =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA"
    + ":-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-CCM:-MAC-ALL:+AEAD"
    + ":-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-X448:+GROUP-SECP521R1"
    + ":-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1:%SERVER_PRECEDENCE"

  /// When the certificate expires: seconds since 1970, its `notAfter`.
  package let expirationTime: Int

  /// Both, parsed, for connections to use.
  let credentials: CertificateCredentials

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
    let credentials = try certificate.withUnsafeBufferPointer {
      (certificate) throws(TLSIdentityError) in
      try key.withUnsafeBufferPointer { (key) throws(TLSIdentityError) in
        try CertificateCredentials(certificate: certificate, key: key)
      }
    }
    self.credentials = credentials
    expirationTime = try credentials.expirationTime()
    self.certificate = certificate + [0]
    self.key = key + [0]
  }

  /// Lends the certificate, the key, and ``priorities``, as C has them.
  mutating func withCStrings<Result>(
    _ body: (
      _ certificate: UnsafeMutableRawPointer?,
      _ key: UnsafeMutableRawPointer?,
      _ priorities: UnsafeMutableRawPointer?
    ) -> Result
  ) -> Result {
    var priorities = Array(Self.priorities.utf8) + [0]
    return certificate.withUnsafeMutableBytes { certificate in
      key.withUnsafeMutableBytes { key in
        priorities.withUnsafeMutableBytes { priorities in
          body(certificate.baseAddress, key.baseAddress, priorities.baseAddress)
        }
      }
    }
  }
}

/// Why a certificate and a key cannot be used.
package struct TLSIdentityError: Error, Hashable, Sendable {
  /// In the words of GnuTLS.
  package let reason: String

  init(code: Int32) {
    reason = gnutls_strerror(code).map { String(cString: $0) } ?? "code \(code)"
  }
}
