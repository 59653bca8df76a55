import Testing

@testable import Security

@Suite struct WebhookSecretsTests {
  /// The bytes 0 to 31.
  private static let secret = Secret("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
  /// The bytes 32 to 63.
  private static let other = Secret("ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=")

  @Test func `a secret depends on the webhook and the generation`() throws {
    let secrets = WebhookSecrets(Keyring(try #require(Self.secret)))
    #expect(
      secrets.text(ofWebhook: "3", generation: 1)
        == "whsec_d9M+EoTY8DebaLAth3a6+kEE1ZjNMF49RrOMc2mld24="
    )
    #expect(
      secrets.text(ofWebhook: "3", generation: 2) != secrets.text(ofWebhook: "3", generation: 1))
    #expect(
      secrets.text(ofWebhook: "4", generation: 1) != secrets.text(ofWebhook: "3", generation: 1))
  }

  @Test func `every secret in use signs, the newest first`() throws {
    let current = try #require(Self.secret)
    let previous = try #require(Self.other)
    func signatures(_ keyring: Keyring, _ generations: [Int64]) -> [Substring] {
      WebhookSecrets(keyring).signatures(
        of: ("k3f9a2c1-48213", 1_795_233_906, Array("{}".utf8)), ofWebhook: "3",
        generations: generations
      )
      .split(separator: " ")
    }
    let one = signatures(Keyring(current), [1])
    #expect(one == ["v1,YuaUGDe/FxTlrMl+TzcSVZcJvBUa+XnO+F7fD/1B5Tg="])
    let two = signatures(Keyring(current), [2, 1])
    #expect(two.count == 2)
    #expect(two.last == one.first)
    let replaced = signatures(Keyring(previous, previous: current), [2, 1])
    #expect(replaced.count == 4)
    #expect(Array(replaced.suffix(2)) == two)
  }
}
