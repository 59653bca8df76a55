import Microhttpd
import TestSupport

/// How a client and a daemon talk in a test, and who writes event streams.
enum TestWire: CaseIterable {
  /// Without TLS; straight to the socket.
  case plain
  /// Without TLS; libmicrohttpd.
  case plainThroughLibrary
  /// TLS 1.3; straight to the socket.
  case secure
  /// TLS 1.2; libmicrohttpd.
  case secureThroughLibrary

  /// Each, with one loop or with some that share the socket.
  static let withLoops: [(loops: Int, wire: TestWire)] = [
    (1, .plain), (3, .plain), (1, .plainThroughLibrary), (3, .plainThroughLibrary), (3, .secure),
    (1, .secureThroughLibrary),
  ]

  /// What a client speaks, as GnuTLS writes it; `nil` without TLS.
  var priorities: String? {
    switch self {
    case .plain, .plainThroughLibrary: nil
    case .secure: "NORMAL:-VERS-ALL:+VERS-TLS1.3"
    case .secureThroughLibrary: "NORMAL:-VERS-ALL:+VERS-TLS1.2"
    }
  }

  /// Whether libmicrohttpd leaves the socket of a stream to us.
  var isDirect: Bool {
    switch self {
    case .plain, .secure: true
    case .plainThroughLibrary, .secureThroughLibrary: false
    }
  }

  /// Sets a daemon up for it.
  func configure(_ configuration: inout Daemon.Configuration) throws {
    switch self {
    case .plain: break
    case .plainThroughLibrary: configuration.streamTransport = .library
    case .secure, .secureThroughLibrary: configuration.identity = try Self.identity.get()
    }
  }

  private static let identity = Result { try TLSIdentity(TestCertificate()) }
}

extension TLSIdentity {
  /// Presents a certificate of a test.
  init(_ certificate: TestCertificate) throws(TLSIdentityError) {
    try self.init(certificate: certificate.certificate, key: certificate.key)
  }
}
