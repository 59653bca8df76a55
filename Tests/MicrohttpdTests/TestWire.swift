import Security
import Microhttpd
import TestSupport

/// The transport between a client and a daemon in a test, and the writer of event streams.
enum TestWire: CaseIterable {
  /// Without TLS; the daemon writes streams straight to the socket.
  case plain
  /// Without TLS; libmicrohttpd writes streams.
  case plainThroughLibrary
  /// TLS 1.3; the daemon writes streams straight to the socket.
  case secure
  /// TLS 1.2; libmicrohttpd writes streams.
  case secureThroughLibrary

  /// Each transport, with one event loop or with several that share the socket.
  static let withLoops: [(loops: Int, wire: TestWire)] = [
    (1, .plain), (3, .plain), (1, .plainThroughLibrary), (3, .plainThroughLibrary), (3, .secure),
    (1, .secureThroughLibrary),
  ]

  /// The client's TLS versions as a GnuTLS priority string; `nil` without TLS.
  var priorities: String? {
    switch self {
    case .plain, .plainThroughLibrary: nil
    case .secure: "NORMAL:-VERS-ALL:+VERS-TLS1.3"
    case .secureThroughLibrary: "NORMAL:-VERS-ALL:+VERS-TLS1.2"
    }
  }

  /// Whether the daemon takes over the socket of a stream from libmicrohttpd.
  var isDirect: Bool {
    switch self {
    case .plain, .secure: true
    case .plainThroughLibrary, .secureThroughLibrary: false
    }
  }

  /// Configures a daemon for this transport.
  func configure(_ options: inout DaemonOptions) throws {
    switch self {
    case .plain: break
    case .plainThroughLibrary: options.streamTransport = .library
    case .secure, .secureThroughLibrary: options.identity = try Self.identity.get()
    }
  }

  private static let identity = Result { try TLSIdentity(TestCertificate()) }
}

extension TLSIdentity {
  /// Makes an identity from a test certificate.
  init(_ certificate: TestCertificate) throws(TLSIdentityError) {
    try self.init(certificate: certificate.certificate, key: certificate.key)
  }
}
