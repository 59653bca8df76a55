internal import Security
internal import Platform

/// The client of a ``TakeoverProbe``, which sends one request and never blocks.
final class ProbeClient {
  private(set) var received: [UInt8] = []
  /// Whether the other side has ended the connection, or the TLS session if there is one.
  private(set) var hasEnded = false

  private let socket: RawSocket
  private let tls: TLSClient?
  private var unsentRequest: [UInt8] = []

  /// Creates a client that has sent no request; `nil` if there is not enough memory.
  init?(_ descriptor: Int32, isSecure: Bool) {
    socket = RawSocket(descriptor)
    tls = isSecure ? TLSClient(descriptor) : nil
    if isSecure, tls == nil { return nil }
  }

  /// Sends a request, with TLS after the handshake.
  func request(_ text: String) {
    unsentRequest = Array(text.utf8)
    advance()
  }

  /// Continues the handshake, the request and the response, as far as possible without blocking.
  func advance() {
    if !unsentRequest.isEmpty {
      guard sendRequest() else { return }
      unsentRequest = []
    }
    while !hasEnded {
      guard let bytes = receive() else { return }
      received += bytes
      hasEnded = bytes.isEmpty
    }
  }

  /// Sends the request, and returns whether all of it was accepted.
  private func sendRequest() -> Bool {
    guard let tls else {
      let sent = unsentRequest.withUnsafeBytes { socket.send($0) }
      if case .bytes(unsentRequest.count) = sent { return true }
      return false
    }
    do throws(TLSClientError) {
      try tls.handshake()
      try tls.send(unsentRequest)
      return true
    } catch {
      return false
    }
  }

  /// Returns the next bytes, empty at the end; `nil` if none are available at the moment.
  private func receive() -> [UInt8]? {
    if let tls { try? tls.receive(1024) } else { try? socket.receive(1024) }
  }
}
