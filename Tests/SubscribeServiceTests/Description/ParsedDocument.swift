/// The description of a listener as JSON.
struct ParsedDocument {
  /// An operation of a document.
  struct Operation {
    let path: String
    let method: String
    /// The item of the path, which all its operations share.
    let item: JSONValue
    let json: JSONValue
  }

  let json: JSONValue

  /// Parses the description of a listener.
  init(_ listener: DescribedListener) throws {
    json = try JSONValue(listener.text)
  }

  /// A member of the document.
  subscript(name: String) -> JSONValue { json[name] }

  /// The operations of all paths.
  var operations: [Operation] {
    json["paths"].members.flatMap { path, item in
      item.members.filter { $0.key != "parameters" }.map { method, operation in
        Operation(path: path, method: method.uppercased(), item: item, json: operation)
      }
    }
  }

  /// Returns a component in place of a reference.
  func resolved(_ value: JSONValue) -> JSONValue {
    guard let reference = value["$ref"].text else { return value }
    return reference.split(separator: "/").dropFirst().reduce(json) { $0[String($1)] }
  }

  /// Returns the problems that the schemas of a response allow.
  func problems(of response: JSONValue) -> [(name: String, status: Int)] {
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
  func problemName(of schema: JSONValue) -> String? {
    guard let type = schema["properties"]["type"]["const"].text else { return nil }
    return type.hasPrefix("/problems/") ? String(type.dropFirst("/problems/".count)) : nil
  }
}
