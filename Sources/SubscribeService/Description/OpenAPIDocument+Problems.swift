internal import MailingList

extension OpenAPIDocument {
  /// The schemas of problems, one for each type.
  static let problemSchemas = #"""
    "Problem": {
      "type": "object",
      "description": "Problem details (RFC 9457). `type` leads to a page that explains it.",
      "required": ["type", "title", "status", "detail"],
      "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {
          "type": "string",
          "format": "uri-reference",
          "description": "The path of the request, if it is short, plain, and not a secret."
        }
      }
    },
    "FieldErrors": {
      "type": "array",
      "minItems": 1,
      "items": {
        "type": "object",
        "required": ["pointer", "code", "detail"],
        "properties": {
          "pointer": {"type": "string", "format": "json-pointer"},
          "code": {"type": "string"},
          "detail": {"type": "string"}
        }
      }
    },
    \#(list(problemTypes))
    """#

  /// The schemas of the types.
  private static let problemTypes = [
    problem(
      "MalformedBody",
      "malformed-body",
      400,
      "The body cannot be read: broken syntax, a repeated field, or too many fields."
    ),
    problem(
      "MalformedRequest",
      "malformed-request",
      400,
      "The head of the request is contradictory, ambiguous or invalid."
    ),
    problem(
      "OriginNotAllowed",
      "origin-not-allowed",
      403,
      "The page that sent the request belongs to a site that may not use the service."
    ),
    problem("StreamDisabled", "stream-disabled", 403, "The merged stream is switched off."),
    problem(
      "NotFound",
      "not-found",
      404,
      "Nothing is here; a link or an execution may be unknown."
    ),
    problem(
      "MethodNotAllowed",
      "method-not-allowed",
      405,
      "The path does not support the method; `Allow` lists those it supports."
    ),
    problem(
      "RequestTimeout",
      "request-timeout",
      408,
      "The request did not arrive completely in time."
    ),
    problem(
      "AlreadyExecuting",
      "already-executing",
      409,
      "A sign-up of this address is in progress."
    ),
    problem(
      "TokenExpired",
      "token-expired",
      410,
      "The link to confirm has expired; a new one can be requested."
    ),
    problem("TooLarge", "too-large", 413, "The body exceeds the limit."),
    problem("URITooLong", "uri-too-long", 414, "The path and the query exceed the limit."),
    problem(
      "UnsupportedMediaType",
      "unsupported-media-type",
      415,
      "The media type of the body, or its charset, is not supported."
    ),
    problem(
      "ExpectationFailed",
      "expectation-failed",
      417,
      "`Expect` has a value other than `100-continue`."
    ),
    problem(
      "MisdirectedRequest",
      "misdirected-request",
      421,
      "The request names a host that is not the service's."
    ),
    problem(
      "InvalidEmail",
      "invalid-email",
      422,
      "The address is invalid, or its domain does not accept mail.",
      required: ["errors"],
      members: #"""
        "suggestion": {"type": "string", "description": "The address that may have been meant."},
        "errors": {
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "required": ["pointer", "code", "detail"],
            "properties": {
              "pointer": {"const": "/email"},
              "code": {
                "anyOf": [
                  {"$ref": "#/components/schemas/InvalidEmailReason"},
                  {"const": "undeliverable"}
                ]
              },
              "detail": {"type": "string"}
            }
          }
        }
        """#
    ),
    problem(
      "InvalidField",
      "invalid-field",
      422,
      "A field of the body has an invalid value.",
      required: ["errors"],
      members: #"""
        "errors": {"$ref": "#/components/schemas/FieldErrors"}
        """#
    ),
    problem(
      "WrongCode",
      "wrong-code",
      422,
      "The code is not that of the mail, or it has expired.",
      required: ["triesLeft", "errors"],
      members: #"""
        "triesLeft": {"type": "integer", "minimum": 0, "maximum": \#(MailCredentials.codeTries - 1)},
        "errors": {"$ref": "#/components/schemas/FieldErrors"}
        """#
    ),
    problem(
      "TooManyRequests",
      "too-many-requests",
      429,
      "The client has sent more requests of this kind than its rate allows."
    ),
    problem(
      "HeaderFieldsTooLarge",
      "header-fields-too-large",
      431,
      "The header fields exceed the limits."
    ),
    problem("Internal", "internal", 500, "The service has a fault."),
    problem(
      "CommandDisabled",
      "command-disabled",
      503,
      "The service is draining.",
      members: part("draining")
    ),
    problem(
      "StorageUnavailable",
      "storage-unavailable",
      503,
      "Nothing can be stored at the moment; nothing was stored.",
      members: part("storage", "schema")
    ),
    problem(
      "TooManyConnections",
      "too-many-connections",
      503,
      "The limit on connections is reached."
    ),
    problem(
      "TooManyBodies",
      "too-many-bodies",
      503,
      "The memory for bodies that are arriving is used up."
    ),
    problem("TooManyStreams", "too-many-streams", 503, "The limit on event streams is reached."),
  ]

  /// Returns the member that names what is not ready.
  private static func part(_ names: String...) -> String {
    #"""
    "part": {"enum": \#(names), "description": "What is not ready; only of `/readyz`."}
    """#
  }

  /// Returns the schema of a type of problem.
  ///
  /// - Parameter name: The name of the schema, without `Problem`.
  private static func problem(
    _ name: String,
    _ type: String,
    _ status: Int,
    _ description: String,
    required: [String] = [],
    members: String = ""
  ) -> String {
    let own = required.isEmpty ? "" : #""required": \#(required),"#
    return #"""

      "\#(name)Problem": {
        "description": "\#(description)",
        "allOf": [\#(reference("schemas", "Problem"))],
        \#(own)
        "properties": {
          "type": {"const": "/problems/\#(type)"},
          "status": {"const": \#(status)}\#(members.isEmpty ? "" : ",")
          \#(members)
        }
      }
      """#
  }
}
