internal import CGnuTLS

/// A certificate and its private key, parsed for use by GnuTLS sessions.
// @unchecked Sendable because GnuTLS only reads the credentials once they are complete, and lets
// any number of sessions share them.
final class CertificateCredentials: @unchecked Sendable {
  private let credentials: gnutls_certificate_credentials_t

  /// Parses a certificate chain and its key, and checks that they belong together.
  ///
  /// The corresponding C function is `gnutls_certificate_set_x509_key_mem2`.
  init(
    certificate: UnsafeBufferPointer<UInt8>, key: UnsafeBufferPointer<UInt8>
  )
    throws(TLSIdentityError)
  {
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

  /// Sets this certificate for a session; the corresponding C function is `gnutls_credentials_set`.
  ///
  /// The session keeps a pointer, so it must end before this object does. Returns `false` if GnuTLS
  /// has no memory.
  func use(for session: gnutls_session_t) -> Bool {
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
      >= 0
  }

  /// Reads the expiration time of the certificate itself, the first of the chain, in seconds since
  /// 1970.
  ///
  /// The corresponding C function is `gnutls_x509_crt_get_expiration_time`.
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
