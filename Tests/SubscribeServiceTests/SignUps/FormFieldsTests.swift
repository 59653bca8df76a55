import Foundation
import HTTPSignals
import HTTPTypes
import MailingList
import TestSupport
import Testing

@testable import Services

/// The owner's fields beside the address.
@Suite struct FormFieldsTests {
  private static let form = "application/x-www-form-urlencoded"

  private let service: ServiceUnderTest

  init() {
    var profile = ListProfile(name: "News")
    profile.fields = FormField.list("name*,home_town") ?? []
    profile.texts = ["de": ["field.name": "Vor- & Nachname"]]
    service = ServiceUnderTest(profile: profile)
  }

  /// Sends a form as a browser does.
  private func submit(_ body: String) -> TestResponse {
    service.send(.post(Array(body.utf8), as: Self.form, fields: ["Accept": "text/html"]))
  }

  @Test(
    arguments: [
      ("email=ada@example.org&name=Ada+%22L%22&home_town=", form, #"{"name":"Ada \"L\""}"#),
      (
        "email=ada@example.org&home_town=Z%C3%BCrich&other=x&name=Ada", form,
        #"{"name":"Ada","home_town":"Zürich"}"#
      ),
      (
        #"{"email":"ada@example.org","name":"Ada","state":"x"}"#, "application/json",
        #"{"name":"Ada"}"#
      ),
      (
        #"{"email":"ada@example.org","name":"Ada","home_town":null}"#, "application/json",
        #"{"name":"Ada"}"#
      ),
    ]
  )
  func `the values of the owner's fields are stored, and others ignored`(
    body: String, type: String, stored: String
  ) throws {
    service.post(body, as: type)
    #expect(try #require(service.store.signUps.last?.consent).fields == stored)
  }

  @Test(
    arguments: [
      ("", "/name"), ("&name=", "/name"), ("&name=a%00b", "/name"), ("&name=a%0Ab", "/name"),
      ("&name=Ada&home_town=\(String(repeating: "x", count: 201))", "/home_town"),
      ("&name=\(String(repeating: "e%CC%81", count: 200))&home_town=%01", "/home_town"),
    ]
  )
  func `an invalid value is rejected with the name of its field`(rest: String, pointer: String) {
    let response = service.post("email=ada@example.org\(rest)", as: Self.form)
    #expect(response.status == 422)
    #expect(response.problem == "invalid-field")
    #expect(response.text.contains(#""pointer":"\#(pointer)""#))
    #expect(service.store.signUps.isEmpty)
  }

  @Test(arguments: [
    ("&home_town=Z%C3%BCrich", "name"), ("&name=&home_town=Z%C3%BCrich", "name"),
    ("&name=a%00b&home_town=Z%C3%BCrich", "name"), ("&name=Ada&home_town=%01", "home_town"),
  ])
  func
    `a browser gets the form again, with the rest of what was typed, and the focus in that field`(
      rest: String, name: String
    )
  {
    let page = submit("email=ada@example.org\(rest)")
    #expect(page.status == 422)
    #expect(page.text.contains("<title>Error: Subscribe · News</title>"))
    #expect(page.text.contains(#"value="ada@example.org""#))
    #expect(page.text.contains(name == "name" ? #"value="Zürich""# : #"value="Ada""#))
    let parts = page.text.components(separatedBy: #"id="field-\#(name)""#)
    #expect(parts.last?.prefix { $0 != ">" }.hasSuffix(#"aria-invalid="true" autofocus"#) == true)
    #expect(page.text.components(separatedBy: "autofocus").count == 2)
  }

  @Test func `a required field that is null is missing`() {
    let response = service.post(#"{"email":"ada@example.org","name":null}"#)
    #expect(response.problem == "invalid-field")
    #expect(response.text.contains(#""pointer":"/name""#))
  }

  @Test func `the page has the fields with their labels, and keeps what was typed`() {
    let page = service.get("/").text
    #expect(page.contains(#"<label for="field-name">Name</label>"#))
    #expect(page.contains(#"<label for="field-home_town">Home town</label>"#))
    #expect(page.contains(#"maxlength="200" aria-describedby="status" required>"#))
    #expect(!page.contains("novalidate"))
    let german = service.send(
      Request(method: .get, path: "/", fields: FieldList(["Accept-Language": "de"])))
    #expect(german.text.contains(#"<label for="field-name">Vor- &amp; Nachname</label>"#))
    let invalid = submit("email=x&name=%22A%22").text
    #expect(invalid.contains(#"name="name" value="&quot;A&quot;""#))
    // Without scripts, the suggestion is a form of its own.
    let suggestion = submit("email=ada%40%40gmial.com&name=Ada").text
    #expect(suggestion.contains(#"<input type="hidden" name="name" value="Ada">"#))
  }
}
