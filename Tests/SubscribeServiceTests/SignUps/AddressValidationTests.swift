import EmailAddresses
import HTTPSignals
import Signals
import MailingList
import Services
import TestSupport
import Testing

/// The validation of an address on its way from a body to the store.
@Suite struct AddressValidationTests {
  private static let form = "application/x-www-form-urlencoded"

  /// A validation that counts its calls.
  private final class CountingValidation: Sendable {
    private let calls = Lock<[String]>([])

    /// The texts that were validated since the last call.
    func takeTexts() -> [String] {
      calls.withLock { calls in
        defer { calls = [] }
        return calls
      }
    }

    /// Validates like the service, except that `anonymous` stands for a valid address.
    @Sendable
    func validate(_ typed: String, _ level: EmailLevel) throws(EmailAddressError) -> EmailAddress {
      calls.withLock { $0.append(typed) }
      return try EmailAddress(
        validating: typed == "anonymous" ? "ada@example.org" : typed, level: level)
    }
  }

  private let validation = CountingValidation()
  private let service: ServiceUnderTest

  init() {
    let validation = validation
    service = ServiceUnderTest { $0.validate = validation.validate }
  }

  @Test func `validates the address of each sign-up once, whatever its outcome`() {
    #expect(service.signUp("ada@example.org").status == 202)
    #expect(validation.takeTexts() == ["ada@example.org"])
    #expect(service.signUp("ada@gmial,com").status == 422)
    #expect(validation.takeTexts() == ["ada@gmial,com"])
    service.store.failure = .full
    #expect(service.signUp("bea@example.org").status == 503)
    #expect(validation.takeTexts() == ["bea@example.org"])
    service.store.failure = nil
    service.commands.isEnabled.value = false
    #expect(service.signUp("cleo@example.org").status == 503)
    #expect(validation.takeTexts() == ["cleo@example.org"])
  }

  @Test func `validates the address of a rejected double-click once`() {
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    service.signUp("ada@example.org")
    #expect(service.signUp("ada@example.org").status == 409)
    #expect(validation.takeTexts() == ["ada@example.org", "ada@example.org"])
    release.complete()
  }

  @Test(arguments: ["email=ada%40example.org", "email=nobody"])
  func `validates the address of a form for browsers once`(body: String) {
    service.send(.post(Array(body.utf8), as: Self.form, fields: ["Accept": "text/html"]))
    #expect(validation.takeTexts().count == 1)
  }

  @Test func `validates a checked address once`() {
    service.send(
      .post(
        Array(#"{"email":"ada@example.org"}"#.utf8), as: "application/json", to: "/email-checks"))
    #expect(validation.takeTexts() == ["ada@example.org"])
  }

  @Test func `stores the validated address and never validates the typed text elsewhere`()
    async throws
  {
    // Every other validation of this text would reject the sign-up.
    #expect(service.signUp("anonymous").status == 202)
    #expect(validation.takeTexts() == ["anonymous"])
    #expect(try await service.store.addresses() == ["ada@example.org"])
  }
}
