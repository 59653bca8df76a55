extension OpenAPIDocument {
  /// The responses that several routes share.
  static let responses = list([
    problem(
      "MalformedBody",
      "The body or the head of the request is malformed.",
      types: ["MalformedBody", "MalformedRequest"]
    ),
    closing("MalformedRequest", "The head of the request is malformed. The connection is closed."),
    problem(
      "OriginNotAllowed",
      "The page belongs to a site that is not allowed.",
      fields: ["Vary"]
    ),
    problem("StreamDisabled", "The stream is switched off."),
    problem("NotFound", "Unknown, or no longer known."),
    problem(
      "MethodNotAllowed",
      "Every path gives this response to a method that it does not list.",
      fields: ["Allow"] + sharedFields
    ),
    closing("RequestTimeout", "The request did not arrive in time. The connection is closed."),
    problem(
      "AlreadyExecuting",
      "A sign-up of this address is in progress; the response does not identify it.",
      fields: laterFields
    ),
    problem(
      "TokenExpired",
      "The link has expired. The page has a button that requests a new one.",
      fields: []
    ),
    problem("TooLarge", "The body exceeds the limit."),
    closing("URITooLong", "The path and the query are too long."),
    problem(
      "UnsupportedMediaType",
      "The body has no media type, or one that is not supported.",
      fields: ["Accept-Post"] + sharedFields
    ),
    closing("ExpectationFailed", "`Expect` has a value other than `100-continue`."),
    problem("MisdirectedRequest", "The request is for another host."),
    problem(
      "InvalidSignUp",
      "The address or another field is invalid. A form gets the page again, with what was typed.",
      types: ["InvalidEmail", "InvalidField"]
    ),
    problem("InvalidField", "A field is invalid."),
    problem(
      "WrongCode",
      "The code is wrong, has expired, or is not a code.",
      types: ["WrongCode", "InvalidField"]
    ),
    problem("TooManyRequests", "Too many requests from one client.", fields: laterFields),
    closing("HeaderFieldsTooLarge", "The header fields are too large."),
    problem("Internal", "The service has a fault."),
    problem(
      "Unavailable",
      "The service is draining or busy; nothing happened.",
      types: busy,
      fields: laterFields
    ),
    problem(
      "StorageUnavailable",
      "Nothing can be stored or read at the moment, or the service is draining or busy; nothing "
        + "happened.",
      types: ["StorageUnavailable"] + busy,
      fields: laterFields
    ),
    problem(
      "StreamUnavailable",
      "There are too many streams, or the service is draining or busy.",
      types: ["TooManyStreams"] + busy,
      fields: laterFields
    ),
    problem(
      "ExecutionUnavailable",
      "There are too many streams, nothing can be read at the moment, or the service is draining "
        + "or busy.",
      types: ["TooManyStreams", "StorageUnavailable"] + busy,
      fields: laterFields
    ),
    named(
      "NotModified",
      response("The cached file is current.", fields: ["ETag", "Cache-Control"])
    ),
    named(
      "Options",
      response(
        "What the path supports: `Allow` for a client without `Origin`, otherwise the response to "
          + "a preflight.",
        fields: [
          "Allow", "Access-Control-Allow-Origin", "Access-Control-Allow-Methods",
          "Access-Control-Allow-Headers", "Access-Control-Max-Age", "Vary",
        ]
      )
    ),
  ])

  /// The header fields of a response to a request that may succeed later.
  private static let laterFields = ["Retry-After"] + sharedFields

  /// The problems of a service that cannot respond at the moment.
  private static let busy = ["CommandDisabled", "TooManyConnections", "TooManyBodies"]

  /// Returns a response with a problem, or a page with its text.
  ///
  /// - Parameter types: The types of the problem; none: the type with the name of the response.
  private static func problem(
    _ name: String,
    _ description: String,
    types: [String] = [],
    fields: [String] = sharedFields,
    orPage: Bool = true
  ) -> String {
    let schemas = (types.isEmpty ? [name] : types).map { reference("schemas", "\($0)Problem") }
    let schema = schemas.count == 1 ? schemas[0] : #"{"oneOf": [\#(list(schemas))]}"#
    let problem = content("application/problem+json", schema)
    return named(
      name,
      response(
        description,
        fields: ["Cache-Control"] + fields,
        content: orPage ? list([problem, page]) : problem
      )
    )
  }

  /// Returns a response that closes the connection; it has no page.
  private static func closing(_ name: String, _ description: String) -> String {
    problem(name, description, fields: [], orPage: false)
  }

  /// Returns a member of the responses.
  private static func named(_ name: String, _ response: String) -> String {
    "\n\"\(name)\": \(response)"
  }
}
