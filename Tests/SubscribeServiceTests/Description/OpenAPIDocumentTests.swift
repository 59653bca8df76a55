import EmailAddresses
import HTTPSignals
import HTTPTypes
import MailingList
import Testing

@testable import Services

/// The descriptions of the listeners, compared with the listeners.
@Suite struct OpenAPIDocumentTests {
  @Test(arguments: DescribedListener.allCases)
  func `a document has exactly the routes and their methods`(_ listener: DescribedListener) throws {
    let operations = try ParsedDocument(listener).operations
    #expect(operations.map { "\($0.method) \($0.path)" }.sorted() == listener.routes.sorted())
  }

  @Test(arguments: DescribedListener.allCases)
  func `a document has exactly the parameters of each path`(_ listener: DescribedListener) throws {
    let document = try ParsedDocument(listener)
    for operation in document.operations {
      let parameters = operation.item["parameters"].elements + operation.json["parameters"].elements
      let names = parameters.map(document.resolved).filter { $0["in"].text == "path" }
        .map(\.["name"].text)
      let segments = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
      #expect(names == segments.map { String($0.dropFirst().dropLast()) }, "\(operation.path)")
    }
  }

  @Test(arguments: DescribedListener.allCases)
  func `each operation has an id of its own`(_ listener: DescribedListener) throws {
    let ids = try ParsedDocument(listener).operations.map(\.json["operationId"].text)
    #expect(Set(ids).count == ids.count)
    #expect(!ids.contains(nil))
  }

  @Test(arguments: DescribedListener.allCases)
  func `each reference leads to a component, and each component is used`(
    _ listener: DescribedListener
  ) throws {
    let document = try ParsedDocument(listener)
    var components: Set<String> = []
    for (kind, section) in document["components"].members where kind != "securitySchemes" {
      for name in section.members.keys { components.insert("#/components/\(kind)/\(name)") }
    }
    // Every path gives this response to methods that it does not have, so no operation lists it.
    components.remove("#/components/responses/MethodNotAllowed")
    #expect(document.json.references == components)
  }

  @Test(arguments: DescribedListener.allCases)
  func `exactly the operations that need a key may respond with 401`(
    _ listener: DescribedListener
  ) throws {
    let document = try ParsedDocument(listener)
    var used: Set<String> = []
    // The form to log in has the key in its body.
    for operation in document.operations where operation.path != "/board/session" {
      let schemes = operation.json["security"].elements.flatMap(\.members.keys)
      let needsKey = operation.json["responses"].members["401"] != nil
      #expect(schemes.isEmpty != needsKey, "\(operation.path)")
      used.formUnion(schemes)
    }
    #expect(used == Set(document["components"]["securitySchemes"].members.keys))
  }

  @Test(arguments: DescribedListener.allCases)
  func `a document has exactly the types of problems of its listener, with their statuses`(
    _ listener: DescribedListener
  ) throws {
    let document = try ParsedDocument(listener)
    var schemas: [String: Int] = [:]
    for schema in document["components"]["schemas"].members.values {
      guard let name = document.problemName(of: schema) else { continue }
      schemas[name] = schema["properties"]["status"]["const"].integer
    }
    #expect(schemas == listener.problems)
  }

  @Test(arguments: DescribedListener.allCases)
  func `each type of problem is among the responses with its status`(
    _ listener: DescribedListener
  ) throws {
    let document = try ParsedDocument(listener)
    var listed: Set<String> = []
    for operation in document.operations {
      for (status, response) in operation.json["responses"].members {
        for (name, code) in document.problems(of: document.resolved(response)) {
          #expect(String(code) == status, "\(operation.path) \(name)")
          listed.insert(name)
        }
      }
    }
    let general = document["components"]["responses"]["MethodNotAllowed"]
    #expect(document.problems(of: general).map(\.name) == ["method-not-allowed"])
    listed.insert("method-not-allowed")
    #expect(listed == Set(listener.problems.keys))
  }

  @Test(arguments: DescribedListener.allCases)
  func `the explained problems are those of both listeners`(_ listener: DescribedListener) throws {
    let route = try ParsedDocument(listener)["paths"]["/problems/{name}"]
    let names = try #require(route["parameters"].elements.first)["schema"]["enum"].elements
    #expect(names.compactMap(\.text).sorted() == Texts.problemNames.sorted())
    let types = DescribedListener.allCases.flatMap(\.problems.keys)
    #expect(Set(types) == Set(Texts.problemNames))
  }

  @Test func `the document allows all types of events, alone and together`() throws {
    let document = try ParsedDocument(.operators)
    let schema = document["components"]["parameters"]["Types"]["schema"]
    let pattern = try Regex(#require(schema["pattern"].text))
    let names = ListEvent.Kind.allCases.map(\.name) + ["subscriber.*", "mail.*"]
    for types in names + [names.joined(separator: ",")] {
      #expect(try pattern.wholeMatch(in: types) != nil, "\(types)")
    }
  }

  @Test func `the members of problems are those of responses`() throws {
    let document = try ParsedDocument(.everyone)
    let schemas = document["components"]["schemas"]
    #expect(
      schemas["Problem"]["properties"].members.keys.sorted()
        == ["detail", "instance", "status", "title", "type"]
    )
    let own = ["InvalidEmailProblem", "InvalidFieldProblem", "WrongCodeProblem"].map { name in
      schemas[name]["properties"].members.keys.sorted()
    }
    #expect(
      own == [
        ["errors", "status", "suggestion", "type"], ["errors", "status", "type"],
        ["errors", "status", "triesLeft", "type"],
      ]
    )
  }

  @Test func `the most tries that are left after a wrong code are those of the program`() throws {
    let problem = try ParsedDocument(.everyone)["components"]["schemas"]["WrongCodeProblem"]
    let maximum = problem["properties"]["triesLeft"]["maximum"].integer
    #expect(maximum == ConfirmationLimits.codeTries - 1)
  }

  @Test func `the reasons, the warnings and the media types are those of the program`() throws {
    let document = try ParsedDocument(.everyone)
    let schemas = document["components"]["schemas"]
    #expect(
      schemas["InvalidEmailReason"]["enum"].elements.compactMap(\.text)
        == EmailAddressError.Reason.allCases.map(\.rawValue)
    )
    let warnings = schemas["EmailCheck"]["properties"]["warnings"]["items"]["enum"]
    #expect(warnings.elements.compactMap(\.text) == EmailWarning.allCases.map(\.rawValue))
    for path in ["/subscribers", "/email-checks", "/executions/{id}/code"] {
      let content = document["paths"][path]["post"]["requestBody"]["content"]
      #expect(
        content.members.keys.sorted().joined(separator: ", ") == BodyFields.acceptedMediaTypes)
    }
  }

  @Test func `the document is cached for an hour, and revalidated by its tag`() throws {
    let service = ServiceUnderTest()
    let response = service.get("/openapi.json")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json")
    #expect(response["Cache-Control"] == "public, max-age=3600")
    #expect(response.text == DescribedListener.everyone.text)
    let tag = try #require(response["ETag"])
    let again = service.send(
      Request(method: .get, path: "/openapi.json", fields: FieldList(["If-None-Match": tag])))
    #expect(again.status == 304)
    #expect(again["Cache-Control"] == "public, max-age=3600")
  }
}
