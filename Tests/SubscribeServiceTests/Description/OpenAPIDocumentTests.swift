import EmailAddresses
import HTTPSignals
import HTTPTypes
import MailingList
import Platform
import Security
import TestSupport
import Testing

@testable import Services

/// The descriptions of both listeners, which are made of their tables and a source each.
@Suite struct OpenAPIDocumentTests {
  private let descriptions = [SignUpService.description, Operator.description]
  private let document = JSON(SignUpService.descriptionFile.bytes) ?? .null

  @Test func `a source describes exactly the routes of its listener`() {
    for description in descriptions {
      let described = Set((description.source["operations"] ?? .null).members.map(\.name))
      let routes = Set(description.operations.map(\.name))
      #expect(routes.subtracting(described).sorted() == [], "routes that the source lacks")
      #expect(described.subtracting(routes).sorted() == [], "entries of no route")
    }
  }

  @Test func `the problems that sources name are types, and the responses have all types`() {
    var names = Set(["method-not-allowed"])
    for description in descriptions {
      for operation in description.operations {
        names.formUnion(operation.problems.map(\.name))
        let own = description.source["operations"]?[operation.name]?["problems"]?.text ?? ""
        names.formUnion(own.split(separator: " ").map(String.init))
      }
    }
    #expect(names.sorted() == Texts.problemNames.sorted())
  }

  @Test(arguments: Texts.problemNames)
  func `the explanation of a problem has no place for a value`(_ name: String) throws {
    #expect(try !#require(Texts.english.help(on: name)).text.contains("{"))
  }

  @Test(arguments: [
    ("integer; The number.", #"{"type":"integer","description":"The number."}"#),
    ("date-time or null", ##"{"type":["string","null"],"format":"date-time"}"##),
    ("a | 1 | null", #"{"enum":["a",1,null]}"#),
    ("[integer >= 0]", #"{"type":"array","items":{"type":"integer","minimum":0}}"#),
    (
      "{Event or null}",
      ##"{"type":"object","additionalProperties":{"oneOf":[{"$ref":"##
        + ##""#/components/schemas/Event"},{"type":"null"}]}}"##
    ),
  ])
  func `a schema can be written as a text`(_ text: String, _ schema: String) {
    #expect(String(decoding: CompactSchema.expand(.string(text)).bytes, as: UTF8.self) == schema)
  }

  @Test(arguments: [
    "", "{", "[1,]", #"{"a":1"#, #""a"#, #""\x""#, #""\u12""#, "1.5", "tru", "{} {}", "{1:2}",
  ])
  func `a source that is not JSON is not read`(_ text: String) {
    #expect(JSON(Array(text.utf8)) == nil)
  }

  @Test func `a value is written as it was read`() {
    let text = #"{"b":[1,-2,{}],"a":"é\"\\\u000a","c":[true,false,null,[]]}"#
    #expect(JSON(Array(text.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) } == text)
  }

  @Test func `the document allows all types of events, alone and together`() throws {
    let schema = Operator.description.source["parameters"]?["Types"]?["schema"]
    let pattern = try Regex(#require(schema?["pattern"]?.text))
    let names = ListEvent.Kind.allCases.map(\.name) + ["subscriber.*", "mail.*"]
    for types in names + [names.joined(separator: ",")] {
      #expect(try pattern.wholeMatch(in: types) != nil, "\(types)")
    }
  }

  @Test func `the most tries that are left after a wrong code are those of the program`() throws {
    let problem = document["components"]?["schemas"]?["WrongCodeProblem"]?["properties"]
    let maximum = try #require(problem?["triesLeft"]?["maximum"])
    #expect(maximum.bytes == Array("\(ConfirmationLimits.codeTries - 1)".utf8))
  }

  @Test func `the reasons and the warnings are those of the program`() {
    let schemas = document["components"]?["schemas"]
    #expect(
      schemas?["InvalidEmailReason"]?["enum"]?.elements.compactMap(\.text)
        == EmailAddressError.Reason.allCases.map(\.rawValue)
    )
    let warnings = schemas?["EmailCheck"]?["properties"]?["warnings"]?["items"]?["enum"]
    #expect(warnings?.elements.compactMap(\.text) == EmailWarning.allCases.map(\.rawValue))
  }

  @Test func `the page after each form has only header fields that the document lists`() throws {
    let service = DoubleOptInService()
    let id = try #require(service.service.signUp("ada@example.org").id)
    let mail = service.members.mail("ada@example.org", at: service.clock.now)
    service.clock.advance(milliseconds: 1)
    for (path, pattern, body) in [
      ("/executions/\(id)/code", "/executions/{id}/code", "code=\(mail.code.digits)"),
      ("/confirm/\(mail.confirm.text)", "/confirm/{token}", ""),
      ("/unsubscribe/\(mail.unsubscribe.text)", "/unsubscribe/{token}", ""),
      ("/confirm/\(mail.confirm.text)/mail", "/confirm/{token}/mail", ""),
    ] {
      let page = service.send(.post, path, body: body, as: "application/x-www-form-urlencoded")
      #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8", "\(path)")
      let listed = document["paths"]?[pattern]?["post"]?["responses"]?["200"]?["headers"]?.members
      let names = Set((listed ?? []).map { $0.name.lowercased() } + ["content-type"])
      let sent = Set((page.response?.fields.pairs ?? []).map { $0.name.lowercased() })
      #expect(sent.subtracting(names).sorted() == [], "\(pattern)")
    }
  }

  @Test func `the document is cached for an hour, and revalidated by its tag`() throws {
    let service = ServiceUnderTest()
    let response = service.get("/openapi.json")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json")
    #expect(response["Cache-Control"] == "public, max-age=3600")
    #expect(response.text == String(decoding: SignUpService.descriptionFile.bytes, as: UTF8.self))
    let tag = try #require(response["ETag"])
    let again = service.send(
      Request(method: .get, path: "/openapi.json", fields: FieldList(["If-None-Match": tag])))
    #expect(again.status == 304)
    #expect(again["Cache-Control"] == "public, max-age=3600")
  }
}
