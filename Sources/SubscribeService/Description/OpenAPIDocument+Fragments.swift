/// The fragments of JSON from which the parts of the document are made.
extension OpenAPIDocument {
  /// The header fields of a response that pages of other sites may read.
  static let sharedFields = [
    "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Vary",
  ]

  /// The header fields of a page.
  static let pageFields = ["Cache-Control", "Content-Security-Policy", "Referrer-Policy", "Vary"]

  /// The responses that a request of any route for any host may get, besides 400 and 503.
  private static let anyHost: KeyValuePairs = [
    408: "RequestTimeout", 413: "TooLarge", 414: "URITooLong", 417: "ExpectationFailed",
    431: "HeaderFieldsTooLarge", 500: "Internal",
  ]

  /// Returns a reference to a component.
  static func reference(_ kind: String, _ name: String) -> String {
    ##"{"$ref": "#/components/\##(kind)/\##(name)"}"##
  }

  /// Returns a response.
  ///
  /// - Parameter content: Members of `content`, if the response has any.
  static func response(_ description: String, fields: [String], content: String = "") -> String {
    let headers = fields.map { field in
      #""\#(field)": \#(reference("headers", field.filter { $0 != "-" }))"#
    }
    let body = content.isEmpty ? "" : #", "content": {\#(content)}"#
    return #"""
      {"description": "\#(description)", "headers": {\#(list(headers))}\#(body)}
      """#
  }

  /// Returns a response with JSON for one client.
  ///
  /// - Parameter orPage: Whether browsers get a page instead.
  static func result(
    _ description: String,
    _ schema: String,
    fields: [String] = [],
    orPage: Bool = false
  ) -> String {
    let json = content("application/json", reference("schemas", schema))
    return response(
      description,
      fields: ["Cache-Control"] + fields,
      content: orPage ? list([json, page]) : json
    )
  }

  /// Returns a response with a page that is not for search engines.
  static func personalPage(_ description: String) -> String {
    response(description, fields: pageFields + ["X-Robots-Tag"], content: page)
  }

  /// The schema of text.
  static let anyText = #"{"type": "string"}"#

  /// The content of a page.
  static let page = content("text/html", anyText)

  /// Returns a kind of content.
  static func content(_ mediaType: String, _ schema: String) -> String {
    #""\#(mediaType)": {"schema": \#(schema)}"#
  }

  /// Returns the contents of a body in each media type that has fields.
  static func fields(_ schema: String) -> String {
    let types = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]
    return list(types.map { content($0, reference("schemas", schema)) })
  }

  /// Returns references to the shared responses of an operation.
  ///
  /// - Parameter names: The names of the responses by their status, without those of any request.
  /// - Returns: Members of `responses`, also those of any request.
  static func sharedResponses(
    _ names: KeyValuePairs<Int, String>,
    everyHost: Bool = false
  ) -> String {
    let misdirected: KeyValuePairs = everyHost ? [:] : [421: "MisdirectedRequest"]
    return list(
      [names, misdirected, anyHost].joined().map { status, name in
        #""\#(status)": \#(reference("responses", name))"#
      }
    )
  }

  /// Returns the operation OPTIONS of a path that pages of other sites may use.
  static func options(_ id: String) -> String {
    #"""
    {
      "operationId": "\#(id)",
      "tags": ["cross-origin"],
      "summary": "Tells what the path supports, and whether a page of another site may use it.",
      "responses": {
        "204": {"$ref": "#/components/responses/Options"},
        \#(sharedResponses([400: "MalformedRequest", 403: "OriginNotAllowed", 503: "Unavailable"]))
      }
    }
    """#
  }

  /// Returns members of an object, or elements of an array.
  static func list(_ elements: [String]) -> String { elements.joined(separator: ", ") }
}
