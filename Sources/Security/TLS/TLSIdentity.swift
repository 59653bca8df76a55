internal import CGnuTLS

/// A certificate and its private key, which identify a daemon to its clients.
package struct TLSIdentity: Sendable {
  /// The protocol versions, ciphers and key exchanges that a server supports, as a priority string
  /// of GnuTLS.
  ///
  /// Versions before 1.2 must not be used (RFC 8996). In TLS 1.2, only cipher suites with forward
  /// secrecy and authenticated encryption are enabled (RFC 9325 §4).
  static let priorities =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA"
    + ":-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-CCM:-MAC-ALL:+AEAD"
    + ":-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-X448:+GROUP-SECP521R1"
    + ":-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1:%SERVER_PRECEDENCE"

  /// The expiration time of the certificate, its `notAfter`, in seconds since 1970.
  package let expirationTime: Int

  let credentials: CertificateCredentials

  /// The certificate chain in PEM, followed by a NUL.
  private var certificate: [UInt8]
  /// The private key in PEM, followed by a NUL.
  private var key: [UInt8]

  /// Parses a certificate and its key, both in PEM and the key without a password, and checks that
  /// they belong together.
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

  /// Calls a closure with the certificate, the key, and ``priorities`` as C strings, which are
  /// valid during the call.
  ///
  /// GnuTLS and libmicrohttpd only read the strings.
  package mutating func withCStrings<Result>(
    _ body: (
      _ certificate: UnsafeMutableRawPointer?, _ key: UnsafeMutableRawPointer?,
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

/// An error in a certificate or its key.
package struct TLSIdentityError: Error, Hashable, Sendable {
  /// The description by GnuTLS.
  package let reason: String

  init(code: Int32) {
    reason = gnutls_strerror(code).map { String(cString: $0) } ?? "code \(code)"
  }
}
