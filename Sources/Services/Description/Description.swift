internal import CResources
internal import HTTPSignals
internal import HTTPTypes
internal import Platform

/// The description of a listener (OpenAPI 3.1): what its table of routes, the types of problems and
/// their texts say, and a source with what they do not.
///
/// A member of `operations` describes a route, and `OPTIONS` those of all paths, whose ids go on
/// with the words of the path:
///
/// | member | meaning |
/// |---|---|
/// | `id`, `summary`, `description`, `tag`, `security` | as in OpenAPI |
/// | `parameters` | names of `parameters`, or parameters of the operation only |
/// | `isCached` | the response has an `ETag`, and a request with it gets 304 |
/// | `body` | the name of a schema, or a body as in OpenAPI |
/// | `responses` | the successes, with `description`, `content` and `headers` |
/// | `problems` | the types of problems that do not follow from the access to the route |
///
/// `content` is a schema, a media type, several of them, or as in OpenAPI. `headers` are those that
/// do not follow from the rest; after a colon may be the name of another definition.
///
/// `paths` names the parameter at the end of each beginning of a path, `schemas` and the members of
/// `problems` are written as ``CompactSchema`` says, and a header that is a text only has its
/// description. All else is as in OpenAPI.
struct Description {
  /// What the table of routes says about an operation.
  struct Operation {
    let method: HTTPRequest.Method
    let path: String
    /// The types of problems that every route with this access has.
    let problems: [DescribedProblem]
    /// The scopes that a key needs.
    var scopes: [String] = []
    /// The header fields that its successes have because of the access, for pages of other sites.
    var fields: [String] = []

    /// The name of the member of the source that describes the operation.
    var name: String { method == .options ? "OPTIONS" : "\(method) \(path)" }
  }

  let source: JSON
  let operations: [Operation]
  /// Whether the clients are visitors: problems can be pages, and pages have a policy.
  let isPublic: Bool

  /// Reads a source.
  // A source that cannot be read describes nothing; a test checks both.
  init(_ source: Resource, _ operations: [Operation], isPublic: Bool) {
    self.source = JSON(source.bytes) ?? [:]
    self.operations = operations
    self.isPublic = isPublic
  }

  /// The file that the listener serves.
  var asset: Asset { Asset(document.bytes, mediaType: "application/json", maximumAge: 3600) }

  private var document: JSON {
    var paths: JSON = [:]
    var responses: JSON = ["NotModified": notModified]
    var listed: Set = [DescribedProblem(HTTPProblem.methodNotAllowed)]
    for operation in operations {
      var item = paths[operation.path] ?? pathItem(operation.path)
      let problems = problems(of: operation)
      item["\(operation.method)".lowercased()] = describe(operation, with: problems)
      paths[operation.path] = item
      for problems in problems {
        let id = DescribedProblem.id(of: problems)
        if responses[id] == nil { responses[id] = response(with: problems) }
        listed.formUnion(problems)
      }
    }
    // Every path gives this response to methods that it does not have, so no operation lists it.
    responses["MethodNotAllowed"] = response(with: [DescribedProblem(HTTPProblem.methodNotAllowed)])
    var headers: JSON = [:]
    for (name, header) in (source["headers"] ?? [:]).members {
      headers[Self.component(name)] =
        header.text.map { ["description": .string($0), "schema": ["type": "string"]] } ?? header
    }
    return [
      "openapi": "3.1.0", "info": source["info"], "servers": [["url": "/"]], "security": [],
      "tags": source["tags"], "paths": paths,
      "components": [
        "securitySchemes": source["securitySchemes"], "schemas": schemas(with: listed),
        "responses": responses,
        "parameters": source["parameters"], "headers": headers,
      ],
    ]
  }

  // MARK: Operations

  private func row(of operation: Operation) -> JSON {
    source["operations"]?[operation.name] ?? [:]
  }

  private func describe(_ operation: Operation, with problems: [[DescribedProblem]]) -> JSON {
    let row = row(of: operation)
    var id = row["id"]
    if operation.method == .options {
      let words = operation.path.split(separator: "/").filter { !$0.hasPrefix("{") }
      id = id?.text.map { .string($0 + words.map(\.inPascalCase).joined()) }
    }
    let scopes = operation.scopes.map(JSON.string)
    let isCached = row["isCached"] != nil
    var parameters = (row["parameters"] ?? []).elements.map { parameter in
      parameter.text.map { Self.reference("parameters", $0) } ?? parameter
    }
    if isCached { parameters.append(Self.reference("parameters", "IfNoneMatch")) }
    var responses: JSON = [:]
    for (status, success) in (row["responses"] ?? [:]).members {
      responses[status] = describe(success, status, of: operation, isCached: isCached)
    }
    if isCached { responses["304"] = Self.reference("responses", "NotModified") }
    for problems in problems {
      responses["\(problems[0].status)"] =
        Self.reference("responses", DescribedProblem.id(of: problems))
    }
    return [
      "operationId": id, "tags": row["tag"].map { [$0] }, "summary": row["summary"],
      "description": row["description"],
      "security": scopes.isEmpty ? row["security"] : [["Key": .array(scopes)]],
      "parameters": parameters.isEmpty ? nil : .array(parameters),
      "requestBody": row["body"].map(requestBody), "responses": responses,
    ]
  }

  private func pathItem(_ path: String) -> JSON {
    var beginning = ""
    var parameters: [JSON] = []
    for segment in path.split(separator: "/") {
      beginning += "/\(segment)"
      if let name = source["paths"]?[beginning]?.text {
        parameters.append(Self.reference("parameters", name))
      }
    }
    return parameters.isEmpty ? [:] : ["parameters": .array(parameters)]
  }

  private func requestBody(_ body: JSON) -> JSON {
    guard let name = body.text else { return body }
    let types = isPublic ? BodyFields.acceptedMediaTypes : "application/json"
    var content: JSON = [:]
    for type in types.split(separator: ", ") {
      content[String(type)] = ["schema": Self.reference("schemas", name)]
    }
    return ["required": .boolean(true), "content": content]
  }

  // MARK: Successes

  private func describe(
    _ success: JSON, _ status: String, of operation: Operation, isCached: Bool
  ) -> JSON {
    var content = success["content"] ?? [:]
    if content.members.isEmpty {
      let parts = content.elements.isEmpty ? [content] : content.elements
      content = [:]
      for part in parts.compactMap(\.text) {
        let isType = part.contains("/")
        content[isType ? part : "application/json"] = [
          "schema": isType ? ["type": "string"] : Self.reference("schemas", part)
        ]
      }
    }
    var fields = (success["headers"] ?? []).elements.compactMap(\.text)
    if status != "204" { fields.append("Cache-Control") }
    if isCached { fields.append("ETag") }
    if isPublic, content["text/html"] != nil {
      fields += ["Content-Security-Policy", "Referrer-Policy", "Vary"]
      if !isCached { fields.append("X-Robots-Tag") }
    }
    fields += operation.fields
    return [
      "description": success["description"], "headers": fields.isEmpty ? nil : headers(fields),
      "content": content.members.isEmpty ? nil : content,
    ]
  }

  private var notModified: JSON {
    ["description": "The cached file is current.", "headers": headers(["ETag", "Cache-Control"])]
  }

  /// The header fields that browsers need for a page of another site.
  static let originFields = [
    "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
  ]

  private func headers(_ fields: [String]) -> JSON {
    var headers: JSON = [:]
    for field in fields {
      let names = field.split(separator: ":").map(String.init)
      guard let name = names.first, let definition = names.last else { continue }
      headers[name] = Self.reference("headers", Self.component(definition))
    }
    return headers
  }

  // MARK: Problems

  /// Returns the types of problems of an operation, grouped and ordered by status.
  private func problems(of operation: Operation) -> [[DescribedProblem]] {
    let own = (row(of: operation)["problems"]?.text ?? "").split(separator: " ")
    let all = Set(operation.problems + own.compactMap { DescribedProblem.all[String($0)] })
    return Dictionary(grouping: all, by: \.status).sorted { $0.key < $1.key }
      .map { $0.value.sorted { $0.name < $1.name } }
  }

  private func response(with problems: [DescribedProblem]) -> JSON {
    let schemas = problems.map { Self.reference("schemas", $0.id) }
    let isRouted = !problems.allSatisfy(\.precedesRouting)
    var content: JSON = [
      "application/problem+json": [
        "schema": schemas.count == 1 ? schemas[0] : ["oneOf": .array(schemas)]
      ]
    ]
    if isPublic ? isRouted : problems.contains(where: \.isOfBoard) {
      content["text/html"] = ["schema": ["type": "string"]]
    }
    var fields = ["Cache-Control"] + problems.compactMap(\.field)
    if isPublic, isRouted {
      fields.append("Vary")
      if !problems.allSatisfy(\.isHiddenFromPages) { fields += Self.originFields }
    }
    return [
      "description": .string(problems.map(\.title).joined(separator: "; ") + "."),
      "headers": headers(fields), "content": content,
    ]
  }

  private func schema(of problem: DescribedProblem) -> JSON {
    var schema: JSON = ["description": .string(problem.help)]
    schema["allOf"] = [Self.reference("schemas", "Problem")]
    let own = CompactSchema.expand(source["problems"]?[problem.name] ?? [:])
    schema["required"] = own["required"]
    var properties = own["properties"] ?? [:]
    properties["type"] = ["const": .string("/problems/\(problem.name)")]
    properties["status"] = ["const": .number(problem.status)]
    schema["properties"] = properties
    return schema
  }

  // MARK: Components

  private func schemas(with problems: Set<DescribedProblem>) -> JSON {
    var schemas: JSON = ["ProblemName": ["enum": .array(Texts.problemNames.map(JSON.string))]]
    for (name, schema) in (source["schemas"] ?? [:]).members {
      schemas[name] = CompactSchema.expand(schema)
    }
    for problem in problems.sorted(by: { $0.name < $1.name }) {
      schemas[problem.id] = schema(of: problem)
    }
    return schemas
  }

  static func reference(_ kind: String, _ name: String) -> JSON {
    ["$ref": .string("#/components/\(kind)/\(name)")]
  }

  /// Returns the name of a header field as that of a component.
  private static func component(_ name: String) -> String { name.replacing("-", with: "") }
}

// MARK: Writing

extension JSON {
  /// The text, as UTF-8.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .object(let members):
      for (index, member) in members.enumerated() {
        bytes.append(UInt8(ascii: index == 0 ? "{" : ","))
        JSON.string(member.name).write(to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(contentsOf: members.isEmpty ? "{}".utf8 : "}".utf8)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        bytes.append(UInt8(ascii: index == 0 ? "[" : ","))
        element.write(to: &bytes)
      }
      bytes.append(contentsOf: elements.isEmpty ? "[]".utf8 : "]".utf8)
    case .string(let text):
      var json = JSONText()
      json.string(text)
      bytes.append(contentsOf: json.bytes)
    case .number(let number): bytes.append(contentsOf: "\(number)".utf8)
    case .boolean(let value): bytes.append(contentsOf: "\(value)".utf8)
    case .null: bytes.append(contentsOf: "null".utf8)
    }
  }
}

/// A notation of JSON schemas that is as short as the data they describe.
///
/// | notation | schema |
/// |---|---|
/// | `"integer"`, `"date-time"`, `"Event"` | a type, a format of strings, a schema of the source |
/// | `"[Event]"`, `"{string}"` | an array of such elements, an object of such members |
/// | `"a \| b"` | one of these values |
/// | `"string or null"`, `"integer >= 1"` | also `null`, at least 1 |
/// | `"integer; The number."` | with a description |
/// | `{"id": "integer", "name?": "string"}` | an object with these members, the second optional |
/// | `{"//": "A thing.", "id": "integer"}` | with a description |
/// | `[{"id": "integer"}]` | an array of such objects |
/// | `{"schema": …}` | a schema as it is |
enum CompactSchema {
  static func expand(_ notation: JSON) -> JSON {
    switch notation {
    case .string(let text): described(text)
    case .array(let elements): ["type": "array", "items": elements.first.map(expand)]
    case .object(let members): notation["schema"] ?? object(members)
    case .number, .boolean, .null: notation
    }
  }

  private static func object(_ members: [(name: String, value: JSON)]) -> JSON {
    var schema: JSON = ["type": "object"]
    var properties: JSON = [:]
    var required: [JSON] = []
    for (name, value) in members {
      if name == "//" {
        schema["description"] = value
      } else if name.hasSuffix("?") {
        properties[String(name.dropLast())] = expand(value)
      } else {
        properties[name] = expand(value)
        required.append(.string(name))
      }
    }
    if !required.isEmpty { schema["required"] = .array(required) }
    schema["properties"] = properties
    return schema
  }

  private static func described(_ text: String) -> JSON {
    let parts = text.split(separator: "; ", maxSplits: 1).map(String.init)
    var schema = parts.first.map(named) ?? [:]
    if parts.count == 2 { schema["description"] = .string(parts[1]) }
    return schema
  }

  private static func named(_ text: String) -> JSON {
    let inner = String(text.dropFirst().dropLast())
    if text.hasSuffix(" or null") { return orNull(named(String(text.dropLast(8)))) }
    if text.hasPrefix("[") { return ["type": "array", "items": named(inner)] }
    if text.hasPrefix("{") { return ["type": "object", "additionalProperties": named(inner)] }
    if text.contains(" | ") { return ["enum": .array(text.split(separator: " | ").map(value))] }
    if case let parts = text.split(separator: " >= "), parts.count == 2 {
      return ["type": .string(String(parts[0])), "minimum": value(parts[1])]
    }
    if text.first?.isUppercase == true { return Description.reference("schemas", text) }
    let isType = ["string", "integer", "boolean", "object"].contains(text)
    return isType ? ["type": .string(text)] : ["type": "string", "format": .string(text)]
  }

  private static func orNull(_ schema: JSON) -> JSON {
    guard let type = schema["type"] else { return ["oneOf": [schema, ["type": "null"]]] }
    var schema = schema
    schema["type"] = [type, "null"]
    return schema
  }

  private static func value(_ text: Substring) -> JSON {
    text == "null" ? .null : Int(text).map(JSON.number) ?? .string(String(text))
  }
}
