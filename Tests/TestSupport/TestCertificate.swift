internal import CGnuTLS
internal import Glibc

/// A certificate and its key for a test, in PEM.
package struct TestCertificate: Sendable {
  /// The algorithm of a key.
  package enum Algorithm: Sendable, CaseIterable {
    /// An elliptic curve of 256 bits.
    case ecdsa
    /// RSA with a modulus of 3072 bits.
    case rsa
  }

  /// The certificate.
  package let certificate: [UInt8]
  /// The private key of the certificate.
  package let key: [UInt8]
  /// The certificate as sent in a handshake (DER).
  package let encoded: [UInt8]

  /// Makes a key, and a certificate for `localhost` and 127.0.0.1.
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm of the key.
  ///   - days: The days until it expires; it is valid from 100 days before that, or an hour ago.
  ///   - issuer: The certificate that signs this one; `nil` makes a self-signed certificate that
  ///     may sign others.
  package init(
    _ algorithm: Algorithm = .ecdsa, expiresInDays days: Int = 90, issuer: TestCertificate? = nil
  ) throws {
    let (type, parameter) =
      switch algorithm {
      case .ecdsa: (GNUTLS_PK_ECDSA, GNUTLS_SEC_PARAM_HIGH)
      case .rsa: (GNUTLS_PK_RSA, GNUTLS_SEC_PARAM_HIGH)
      }
    var key: gnutls_x509_privkey_t?
    try Self.check(gnutls_x509_privkey_init(&key))
    defer { gnutls_x509_privkey_deinit(key) }
    let bits = gnutls_sec_param_to_pk_bits(type, parameter)
    try Self.check(gnutls_x509_privkey_generate(key, type, bits, 0))

    var made: gnutls_x509_crt_t?
    try Self.check(gnutls_x509_crt_init(&made))
    defer { gnutls_x509_crt_deinit(made) }
    try Self.check(gnutls_x509_crt_set_version(made, 3))
    var serial = UInt64.random(in: 1...UInt64.max >> 1).bigEndian
    try Self.check(gnutls_x509_crt_set_serial(made, &serial, MemoryLayout<UInt64>.size))
    let end = time(nil) + days * 86_400
    try Self.check(
      gnutls_x509_crt_set_activation_time(made, min(time(nil) - 3600, end - 100 * 86_400)))
    try Self.check(gnutls_x509_crt_set_expiration_time(made, end))
    try Self.check(gnutls_x509_crt_set_key(made, key))
    if let issuer {
      try Self.sign(made, by: issuer)
    } else {
      try Self.check(gnutls_x509_crt_set_dn(made, "CN=Test Authority", nil))
      try Self.check(gnutls_x509_crt_set_ca_status(made, 1))
      try Self.name(made)
      try Self.check(gnutls_x509_crt_sign2(made, made, key, GNUTLS_DIG_SHA256, 0))
    }
    certificate = try Self.export { gnutls_x509_crt_export2(made, GNUTLS_X509_FMT_PEM, $0) }
    encoded = try Self.export { gnutls_x509_crt_export2(made, GNUTLS_X509_FMT_DER, $0) }
    self.key = try Self.export { gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, $0) }
  }

  /// Writes `tls.crt` and `tls.key`, the names that a service of the tests uses.
  package func write(to folder: Folder) throws {
    try folder.write(String(decoding: certificate, as: UTF8.self), to: "tls.crt")
    try folder.write(String(decoding: key, as: UTF8.self), to: "tls.key")
    guard chmod(folder("tls.key"), 0o600) == 0 else { throw TestSystemError.last("chmod") }
  }

  /// Adds the extensions of a server certificate issued by an authority, such as revocation.
  private static func sign(
    _ made: gnutls_x509_crt_t?, by issuer: TestCertificate
  ) throws {
    try check(gnutls_x509_crt_set_dn(made, "CN=localhost", nil))
    try check(gnutls_x509_crt_set_ca_status(made, 0))
    try name(made)
    try check(gnutls_x509_crt_set_key_purpose_oid(made, "1.3.6.1.5.5.7.3.1", 0))
    let list = "http://localhost/list.crl"
    try check(
      gnutls_x509_crt_set_crl_dist_points2(made, GNUTLS_SAN_URI, list, UInt32(list.utf8.count), 0))
    var certificate: gnutls_x509_crt_t?
    try check(gnutls_x509_crt_init(&certificate))
    defer { gnutls_x509_crt_deinit(certificate) }
    var key: gnutls_x509_privkey_t?
    try check(gnutls_x509_privkey_init(&key))
    defer { gnutls_x509_privkey_deinit(key) }
    try withDatum(issuer.certificate) {
      gnutls_x509_crt_import(certificate, $0, GNUTLS_X509_FMT_PEM)
    }
    try withDatum(issuer.key) { gnutls_x509_privkey_import(key, $0, GNUTLS_X509_FMT_PEM) }
    try check(gnutls_x509_crt_sign2(made, certificate, key, GNUTLS_DIG_SHA256, 0))
  }

  private static func name(_ made: gnutls_x509_crt_t?) throws {
    let host = "localhost"
    let append = UInt32(GNUTLS_FSAN_APPEND)
    try check(
      gnutls_x509_crt_set_subject_alt_name(
        made, GNUTLS_SAN_DNSNAME, host, UInt32(host.utf8.count), append))
    let address: [UInt8] = [127, 0, 0, 1]
    try check(gnutls_x509_crt_set_subject_alt_name(made, GNUTLS_SAN_IPADDRESS, address, 4, append))
  }

  private static func withDatum(
    _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Int32
  ) throws {
    var bytes = bytes
    let count = UInt32(bytes.count)
    let code = bytes.withUnsafeMutableBufferPointer { buffer in
      var datum = gnutls_datum_t(data: buffer.baseAddress, size: count)
      return body(&datum)
    }
    try check(code)
  }

  private static func export(
    _ body: (UnsafeMutablePointer<gnutls_datum_t>) -> Int32
  ) throws -> [UInt8] {
    var datum = gnutls_datum_t()
    try check(body(&datum))
    defer { free(datum.data) }
    return Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
  }

  private static func check(_ code: Int32) throws {
    if code >= 0 { return }
    throw TestSystemError.malformed(gnutls_strerror(code).map { String(cString: $0) } ?? "\(code)")
  }
}
