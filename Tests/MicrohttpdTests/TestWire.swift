import Security
import Microhttpd
import TestSupport

/// The transport between a client and a daemon in a test.
enum TestWire {
  case plain
  /// TLS 1.3.
  case secure
  /// TLS 1.2, whose sockets cannot be taken over, so that streams are sent in parts.
  case secureInParts

  /// The transports with streams that stay open.
  static let streaming: [TestWire] = [.plain, .secure]

  /// Each of these with one event loop or with several that share the socket.
  static let withLoops: [(loops: Int, wire: TestWire)] = [(1, .plain), (3, .plain), (3, .secure)]

  /// The client's TLS versions as a GnuTLS priority string; `nil` without TLS.
  var priorities: String? {
    switch self {
    case .plain: nil
    case .secure: "NORMAL:-VERS-ALL:+VERS-TLS1.3"
    case .secureInParts: "NORMAL:-VERS-ALL:+VERS-TLS1.2"
    }
  }

  /// Configures a daemon for this transport.
  func configure(_ options: inout DaemonOptions) throws {
    switch self {
    case .plain: break
    case .secure, .secureInParts: options.identity = try Self.identity.get()
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
