import EmailAddresses
import HTTPSignals
import HTTPTypes
import Testing

@testable import SubscribeService

/// The description of the service, compared with the service.
@Suite struct OpenAPIDocumentTests {
  private let document: JSONValue

  init() throws {
    document = try JSONValue(OpenAPIDocument.text)
  }

  private var operations: [Operation] {
    document["paths"].members.flatMap { path, item in
      item.members.filter { $0.key != "parameters" }.map { method, operation in
        Operation(path: path, method: method.uppercased(), item: item, json: operation)
      }
    }
  }

  @Test func `the document has exactly the routes and their methods`() {
    var routes: [String] = []
    for route in SubscribeRoutes.table {
      routes.append("\(route.method) \(route.pattern)")
      if route.access == .allowedOrigins { routes.append("OPTIONS \(route.pattern)") }
    }
    #expect(operations.map { "\($0.method) \($0.path)" }.sorted() == routes.sorted())
  }

  @Test func `the document has exactly the parameters of each path`() {
    for operation in operations {
      let parameters = operation.item["parameters"].elements + operation.json["parameters"].elements
      let names = parameters.map(resolved).filter { $0["in"].text == "path" }.map(\.["name"].text)
      let segments = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
      #expect(names == segments.map { String($0.dropFirst().dropLast()) }, "\(operation.path)")
    }
  }

  @Test func `each operation has an id of its own`() {
    let ids = operations.map(\.json["operationId"].text)
    #expect(Set(ids).count == ids.count)
    #expect(!ids.contains(nil))
  }

  @Test func `each reference leads to a component, and each component is used`() {
    var components: Set<String> = []
    for (kind, section) in document["components"].members {
      for name in section.members.keys { components.insert("#/components/\(kind)/\(name)") }
    }
    // Every path gives this response to methods that it does not have, so no operation lists it.
    components.remove("#/components/responses/MethodNotAllowed")
    #expect(document.references == components)
  }

  @Test func `the document has exactly the types of problems, with their statuses`() {
    var types: [String: Int] = [:]
    for type in HTTPProblem.allCases { types[type.rawValue] = type.status.code }
    for type in ServiceProblem.allCases { types[type.rawValue] = type.status.code }
    var schemas: [String: Int] = [:]
    for schema in document["components"]["schemas"].members.values {
      guard let name = problemName(of: schema) else { continue }
      schemas[name] = schema["properties"]["status"]["const"].integer
    }
    #expect(schemas == types)
  }

  @Test func `each type of problem is among the responses with its status`() {
    var listed: Set<String> = []
    for operation in operations {
      for (status, response) in operation.json["responses"].members {
        for (name, code) in problems(of: resolved(response)) {
          #expect(String(code) == status, "\(operation.path) \(name)")
          listed.insert(name)
        }
      }
    }
    let general = document["components"]["responses"]["MethodNotAllowed"]
    #expect(problems(of: general).map(\.name) == ["method-not-allowed"])
    listed.insert("method-not-allowed")
    let types = HTTPProblem.allCases.map(\.rawValue) + ServiceProblem.allCases.map(\.rawValue)
    #expect(listed == Set(types))
  }

  @Test func `the explained problems are the types of problems`() throws {
    let route = document["paths"]["/problems/{name}"]
    let names = try #require(route["parameters"].elements.first)["schema"]["enum"].elements
    let types = HTTPProblem.allCases.map(\.rawValue) + ServiceProblem.allCases.map(\.rawValue)
    #expect(names.compactMap(\.text).sorted() == types.sorted())
  }

  @Test func `the members of problems are those of responses`() {
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

  @Test func `the reasons, the warnings and the media types are those of the program`() {
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
        content.members.keys.sorted().joined(separator: ", ") == BodyFields.acceptedMediaTypes
      )
    }
  }

  @Test func `the document is cached for an hour, and revalidated by its tag`() throws {
    let service = ServiceUnderTest()
    let response = service.get("/openapi.json")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json")
    #expect(response["Cache-Control"] == "public, max-age=3600")
    #expect(response.text == OpenAPIDocument.text)
    let tag = try #require(response["ETag"])
    let again = service.send(
      Request(method: .get, path: "/openapi.json", fields: FieldList(["If-None-Match": tag]))
    )
    #expect(again.status == 304)
    #expect(again["Cache-Control"] == "public, max-age=3600")
  }

  /// An operation of the document.
  private struct Operation {
    let path: String
    let method: String
    /// The item of the path, which all its operations share.
    let item: JSONValue
    let json: JSONValue
  }

  /// Returns a component in place of a reference.
  private func resolved(_ value: JSONValue) -> JSONValue {
    guard let reference = value["$ref"].text else { return value }
    return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] }
  }

  /// Returns the problems that the schemas of a response allow.
  private func problems(of response: JSONValue) -> [(name: String, status: Int)] {
    let schema = response["content"]["application/problem+json"]["schema"]
    let schemas = schema["oneOf"].elements.isEmpty ? [schema] : schema["oneOf"].elements
    return schemas.map(resolved).compactMap { schema in
      guard let name = problemName(of: schema),
        let status = schema["properties"]["status"]["const"].integer
      else { return nil }
      return (name, status)
    }
  }

  /// Returns the name of the type that a schema is for; `nil` if it is for no type of problem.
  private func problemName(of schema: JSONValue) -> String? {
    guard let type = schema["properties"]["type"]["const"].text else { return nil }
    return type.hasPrefix("/problems/") ? String(type.dropFirst("/problems/".count)) : nil
  }
}
