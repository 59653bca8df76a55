import HTTPSignals
import HTTPTypes
import MailingList
import Security
import Services
import TestSupport
import Testing

/// The pages after a sign-up, which continue until the owner has confirmed.
@Suite struct ContinuationTests {
  private static let email = "ada@example.org"

  @Test func `the script learns what is left to do after a sign-up, in the form's language`() {
    let german: KeyValuePairs = ["Accept-Language": "de-AT,en"]
    let file = DoubleOptInService().send(.get, "/embed.json", fields: german)
    #expect(file.text.hasPrefix(#"{"enlistNext":"code","enlistLanguage":"de","started":"Anfrage"#))
    #expect(file.text.contains(#""codeButton":"Bestätigen","confirmed":"Bestätigt ✓"}"#))
    #expect(file["Vary"] == "Accept-Language")
    #expect(file["Access-Control-Allow-Origin"] == "*")
    let without = DoubleOptInService(sendsCode: false).send(.get, "/embed.json")
    #expect(without.text.hasPrefix(#"{"enlistNext":"link","enlistLanguage":"en","started":"Send"#))
    let single = ServiceUnderTest().get("/embed.json").text
    #expect(single.hasPrefix(#"{"enlistNext":"none","#))
    #expect(!single.contains("code"))
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
        .post, "/subscribers", body: "email=ada%40example.org",
        as: "application/x-www-form-urlencoded")
      #expect(response.status == 303)
      let location = try #require(response["Location"])
      let id = String(location.dropFirst("/thanks/".count))
      let page = service.send(.get, location)
      #expect(page.status == 200)
      #expect(page.text.contains(">Thanks</span></h1>"))
      #expect(page.text.contains("<title>Check your email · News &amp; &lt;Views&gt;</title>"))
      #expect(page.text.contains("<form method=\"post\" action=\"/executions/\(id)/code\""))
      #expect(page.text.contains("data-enlist-confirm=\"/executions/\(id)\""))
      #expect(page.text.contains("autocomplete=\"one-time-code\""))
      #expect(page.text.contains("<script src=\"/code.js\" defer></script>"))
      pages.insert(page.text.replacing(id, with: "ID"))
    }
    #expect(pages.count == 1)
  }

  @Test func `the page of an outcome has no field if mails have no code`() throws {
    let service = DoubleOptInService(sendsCode: false)
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
        .post, "/subscribers", body: body, as: "application/x-www-form-urlencoded", fields: fields)
    }
    let signUps = service.members.signUps
    #expect(signUps.map(\.consent.locale) == ["fr", "de"])
    let hashes = signUps.compactMap(\.hashes)
    #expect(hashes.count == 2)
    // The mailbox is the same; one byte more says that the first address has a subaddress.
    #expect(hashes.first?.mailbox.dropLast() == hashes.last?.mailbox[...])
    #expect(hashes.first?.suppression != hashes.last?.suppression)
    #expect(hashes.allSatisfy { $0.previousSuppression == nil })
    let single = ServiceUnderTest()
    single.signUp()
    #expect(single.store.signUps.first?.consent.locale == nil)
  }
}
