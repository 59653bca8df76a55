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

  /// The certificate's `notAfter`, in seconds since 1970.
  package let expirationTime: Int

  package let credentials: CertificateCredentials

  // PEM, followed by a NUL.
  private var certificate: [UInt8]
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

  /// Calls a closure with C strings, which GnuTLS and libmicrohttpd only read.
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

/// An error in a certificate or its key, with the description by GnuTLS.
package struct TLSIdentityError: Error, Hashable, Sendable {
  package let reason: String

  init(code: Int32) {
    reason = gnutls_strerror(code).map { String(cString: $0) } ?? "code \(code)"
  }
}

/// A certificate and its private key, parsed for use by GnuTLS sessions.
// @unchecked Sendable because GnuTLS only reads the credentials once they are complete, and lets
// any number of sessions share them.
package final class CertificateCredentials: @unchecked Sendable {
  private let credentials: gnutls_certificate_credentials_t

  /// Parses a certificate chain and its key, and checks that they belong together.
  init(
    certificate: UnsafeBufferPointer<UInt8>, key: UnsafeBufferPointer<UInt8>
  ) throws(TLSIdentityError) {
    var made: gnutls_certificate_credentials_t?
    let allocated = gnutls_certificate_allocate_credentials(&made)
    guard allocated >= 0, let made else { throw TLSIdentityError(code: allocated) }
    // GnuTLS only reads both buffers.
    var certificate = gnutls_datum_t(
      data: UnsafeMutablePointer(mutating: certificate.baseAddress), size: UInt32(certificate.count)
    )
    var key = gnutls_datum_t(
      data: UnsafeMutablePointer(mutating: key.baseAddress), size: UInt32(key.count))
    let parsed = gnutls_certificate_set_x509_key_mem2(
      made, &certificate, &key, GNUTLS_X509_FMT_PEM, nil, 0)
    guard parsed >= 0 else {
      gnutls_certificate_free_credentials(made)
      throw TLSIdentityError(code: parsed)
    }
    credentials = made
  }

  deinit {
    gnutls_certificate_free_credentials(credentials)
  }

  /// Sets this certificate for a session; `false` if GnuTLS has no memory.
  ///
  /// The session keeps a pointer, so it must end before this object does.
  package func use(for session: OpaquePointer) -> Bool {
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
      >= 0
  }

  /// Reads the expiration time of the first certificate of the chain, in seconds since 1970.
  func expirationTime() throws(TLSIdentityError) -> Int {
    var encoded = gnutls_datum_t()
    // Borrowed from the credentials.
    let found = gnutls_certificate_get_crt_raw(credentials, 0, 0, &encoded)
    guard found >= 0 else { throw TLSIdentityError(code: found) }
    var made: gnutls_x509_crt_t?
    let allocated = gnutls_x509_crt_init(&made)
    guard allocated >= 0, let made else { throw TLSIdentityError(code: allocated) }
    defer { gnutls_x509_crt_deinit(made) }
    let parsed = gnutls_x509_crt_import(made, &encoded, GNUTLS_X509_FMT_DER)
    guard parsed >= 0 else { throw TLSIdentityError(code: parsed) }
    return Int(gnutls_x509_crt_get_expiration_time(made))
  }
}
