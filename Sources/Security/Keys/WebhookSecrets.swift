/// The secrets with which requests to webhooks are signed, and their signatures (Standard Webhooks
/// 1.0.0).
///
/// They are derived by HKDF-SHA-256 without salt (RFC 5869), so none is stored.
package struct WebhookSecrets: Sendable {
  private let keyring: Keyring

  package init(_ keyring: Keyring) {
    self.keyring = keyring
  }

  /// Returns a secret as a receiver needs it, `whsec_` and base64.
  package func text(ofWebhook id: String, generation: Int64) -> String {
    "whsec_\(Base64.encode(Self.key(keyring.current, id, generation), .standard))"
  }

  /// Returns the signatures of a message, separated by spaces: one for each generation, and the
  /// same with the previous secret of the service while it is known.
  ///
  /// - Parameters:
  ///   - message: The id of the message, its timestamp, and its body.
  ///   - timestamp: Seconds since 1970.
  package func signatures(
    of message: (id: String, timestamp: Int64, body: [UInt8]), ofWebhook id: String,
    generations: [Int64]
  ) -> String {
    let signed = Array("\(message.id).\(message.timestamp).".utf8) + message.body
    return [keyring.current, keyring.previous].compactMap(\.self)
      .flatMap { secret in generations.map { Self.key(secret, id, $0) } }
      .map { "v1,\(Base64.encode(HMACSHA256.authenticate(signed, key: $0), .standard))" }
      .joined(separator: " ")
  }

  private static func key(_ secret: Secret, _ id: String, _ generation: Int64) -> [UInt8] {
    HKDFSHA256.derive(from: secret.bytes, info: Array("enlist webhook \(id) \(generation)".utf8))
  }
}
