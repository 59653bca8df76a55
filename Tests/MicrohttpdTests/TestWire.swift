import CGnuTLS
import Glibc
import Microhttpd

/// How a client and a daemon talk in a test, and who writes event streams.
enum TestWire: CaseIterable {
  /// Without TLS; straight to the socket.
  case plain
  /// Without TLS; libmicrohttpd.
  case plainByTheBook
  /// TLS 1.3; straight to the socket.
  case secure
  /// TLS 1.2; libmicrohttpd.
  case secureByTheBook

  /// Each, with one loop or with some that share the socket.
  static let withLoops: [(loops: Int, wire: TestWire)] = [
    (1, .plain), (3, .plain), (1, .plainByTheBook), (3, .plainByTheBook), (3, .secure),
    (1, .secureByTheBook),
  ]

  /// What a client speaks, as GnuTLS writes it; `nil` without TLS.
  var priorities: String? {
    switch self {
    case .plain, .plainByTheBook: nil
    case .secure: "NORMAL:-VERS-ALL:+VERS-TLS1.3"
    case .secureByTheBook: "NORMAL:-VERS-ALL:+VERS-TLS1.2"
    }
  }

  /// Whether libmicrohttpd leaves the socket of a stream to us.
  var isDirect: Bool {
    switch self {
    case .plain, .secure: true
    case .plainByTheBook, .secureByTheBook: false
    }
  }

  /// Sets a daemon up for it.
  func configure(_ configuration: inout Daemon.Configuration) throws {
    switch self {
    case .plain: break
    case .plainByTheBook: configuration.streamTransport = .library
    case .secure, .secureByTheBook: configuration.identity = try Self.identity.get()
    }
  }

  private static let identity = Result { try makeIdentity() }

  /// Makes a key and a certificate that it has signed itself.
  private static func makeIdentity() throws -> TLSIdentity {
    var key: gnutls_x509_privkey_t?
    var certificate: gnutls_x509_crt_t?
    try check(gnutls_x509_privkey_init(&key))
    defer { gnutls_x509_privkey_deinit(key) }
    let bits = gnutls_sec_param_to_pk_bits(GNUTLS_PK_ECDSA, GNUTLS_SEC_PARAM_HIGH)
    try check(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, bits, 0))
    try check(gnutls_x509_crt_init(&certificate))
    defer { gnutls_x509_crt_deinit(certificate) }
    try check(gnutls_x509_crt_set_version(certificate, 3))
    try check(gnutls_x509_crt_set_serial(certificate, [1], 1))
    try check(gnutls_x509_crt_set_dn(certificate, "CN=localhost", nil))
    try check(gnutls_x509_crt_set_activation_time(certificate, time(nil) - 3600))
    try check(gnutls_x509_crt_set_expiration_time(certificate, time(nil) + 86_400))
    try check(gnutls_x509_crt_set_key(certificate, key))
    try check(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0))
    return try TLSIdentity(
      certificate: export { gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, $0) },
      key: export { gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, $0) }
    )
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
    if code < 0 { throw GnuTLSError(code: code) }
  }
}

/// What a function of GnuTLS has returned.
private struct GnuTLSError: Error {
  var code: Int32
}
