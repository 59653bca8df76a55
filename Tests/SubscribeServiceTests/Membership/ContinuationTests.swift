import HTTPSignals
import HTTPTypes
import MailingList
import Secrets
import SubscribeService
import TestSupport
import Testing

/// The pages after a sign-up, which continue until the owner has confirmed, and `/readyz`.
@Suite struct ContinuationTests {
  private static let email = "ada@example.org"

  @Test func `the sign-up page names the texts with which its script continues`() {
    let page = DoubleOptInService().send(.get, "/")
    #expect(page.text.contains("\n data-enlist-code data-code=\"Check your email and press"))
    #expect(page.text.contains("data-code-button=\"Confirm\" data-confirmed=\"Confirmed ✓\">"))
    let without = DoubleOptInService { $0.sendsCode = false }.send(.get, "/")
    #expect(without.text.contains("data-enlist-code=\"off\" data-code=\"Check your email and"))
    #expect(!ServiceUnderTest().get("/").text.contains("data-enlist-code"))
  }

  @Test func `the page of an outcome has the form for the code, alike in every list state`() throws
  {
    var pages: Set<String> = []
    for state in ListState.allCases {
      let service = DoubleOptInService()
      if let membership = state.membership(before: service.clock.now) {
        service.members.set(membership, of: Self.email)
      }
      let response = service.send(
        .post,
        "/subscribers",
        body: "email=ada%40example.org",
        as: "application/x-www-form-urlencoded"
      )
      #expect(response.status == 303)
      let location = try #require(response["Location"])
      let id = String(location.dropFirst("/thanks/".count))
      let page = service.send(.get, location)
      #expect(page.status == 200)
      #expect(page.text.contains(">Thanks</span></h1>"))
      #expect(page.text.contains("<form method=\"post\" action=\"/executions/\(id)/code\""))
      #expect(page.text.contains("data-enlist-confirm=\"/executions/\(id)\""))
      #expect(page.text.contains("autocomplete=\"one-time-code\""))
      #expect(page.text.contains("<script src=\"/code.js\" defer></script>"))
      pages.insert(page.text.replacing(id, with: "ID"))
    }
    #expect(pages.count == 1)
  }

  @Test func `the page of an outcome has no field if mails have no code`() throws {
    let service = DoubleOptInService { $0.sendsCode = false }
    let id = try #require(service.service.signUp(Self.email).id)
    let page = service.send(.get, "/thanks/\(id)")
    #expect(page.text.contains("<p>Check your email and press the button there.</p>"))
    #expect(!page.text.contains("<input"))
    #expect(page.text.contains("data-enlist-confirm"))
  }

  @Test func `a sign-up keeps hashes and the language for its mail`() throws {
    let service = DoubleOptInService()
    let fields: KeyValuePairs = ["Accept-Language": "fr-CH"]
    for body in ["email=a.d.a%2B1%40gmail.com", "email=ada%40gmail.com&locale=de"] {
      service.send(
        .post,
        "/subscribers",
        body: body,
        as: "application/x-www-form-urlencoded",
        fields: fields
      )
    }
    let signUps = service.members.signUps
    #expect(signUps.map(\.consent.locale) == ["fr", "de"])
    let hashes = signUps.compactMap(\.hashes)
    #expect(hashes.count == 2)
    #expect(hashes.first?.mailbox == hashes.last?.mailbox)
    #expect(hashes.first?.suppression != hashes.last?.suppression)
    #expect(hashes.allSatisfy { $0.previousSuppression == nil })
    let single = ServiceUnderTest()
    single.signUp()
    #expect(single.store.consents.first?.locale == nil)
  }

  @Test(arguments: [(false, false, "ready"), (false, true, "paused"), (true, true, "elsewhere")])
  func `the service is ready with mails that wait, whatever the relay does`(
    isElsewhere: Bool,
    isPaused: Bool,
    relay: String
  ) {
    let oldest = Timestamp(millisecondsSince1970: 1_799_999_000_000)
    let backlog = OutboxBacklog(waiting: 3, oldest: oldest, isServedElsewhere: isElsewhere)
    let service = DoubleOptInService(members: MembershipStore(backlog: backlog)) {
      $0.isRelayPaused = { isPaused }
    }
    let response = service.send(.get, "/readyz", isBrowser: false)
    #expect(response.status == 200)
    #expect(
      response.text
        == """
        {"status":"ready","outbox":{"waiting":3,"oldest":"\(oldest)","relay":"\(relay)"}}
        """
    )
    service.members.failure = .full
    #expect(service.send(.get, "/readyz", isBrowser: false).status == 503)
  }

  @Test func `an empty outbox has no oldest mail`() {
    let response = DoubleOptInService().send(.get, "/readyz", isBrowser: false)
    #expect(response.text.contains(#""outbox":{"waiting":0,"oldest":null,"relay":"ready"}"#))
  }
}
