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
          "description": "The path of the request, if it is short and plain."
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
    "MalformedBodyProblem": {
      "description": "The body cannot be read: broken syntax, a repeated field, or too many \#
    fields.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/malformed-body"}, "status": {"const": 400}}
    },
    "MalformedRequestProblem": {
      "description": "The head of the request is contradictory, ambiguous or invalid.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/malformed-request"}, "status": {"const": 400}}
    },
    "OriginNotAllowedProblem": {
      "description": "The page that sent the request belongs to a site that may not use the \#
    service.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/origin-not-allowed"}, "status": {"const": 403}}
    },
    "StreamDisabledProblem": {
      "description": "The merged stream is switched off.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/stream-disabled"}, "status": {"const": 403}}
    },
    "NotFoundProblem": {
      "description": "Nothing is here; a link or an execution may be unknown.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/not-found"}, "status": {"const": 404}}
    },
    "MethodNotAllowedProblem": {
      "description": "The path does not support the method; `Allow` lists those it supports.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/method-not-allowed"}, "status": {"const": 405}}
    },
    "RequestTimeoutProblem": {
      "description": "The request did not arrive completely in time.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/request-timeout"}, "status": {"const": 408}}
    },
    "AlreadyExecutingProblem": {
      "description": "A sign-up of this address is in progress.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/already-executing"}, "status": {"const": 409}}
    },
    "TokenExpiredProblem": {
      "description": "The link to confirm has expired; a new one can be requested.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/token-expired"}, "status": {"const": 410}}
    },
    "TooLargeProblem": {
      "description": "The body exceeds the limit.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/too-large"}, "status": {"const": 413}}
    },
    "URITooLongProblem": {
      "description": "The path and the query exceed the limit.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/uri-too-long"}, "status": {"const": 414}}
    },
    "UnsupportedMediaTypeProblem": {
      "description": "The media type of the body, or its charset, is not supported.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {
        "type": {"const": "/problems/unsupported-media-type"},
        "status": {"const": 415}
      }
    },
    "ExpectationFailedProblem": {
      "description": "`Expect` has a value other than `100-continue`.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/expectation-failed"}, "status": {"const": 417}}
    },
    "MisdirectedRequestProblem": {
      "description": "The request names a host that is not the service's.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {
        "type": {"const": "/problems/misdirected-request"},
        "status": {"const": 421}
      }
    },
    "InvalidEmailProblem": {
      "description": "The address is invalid, or its domain does not accept mail.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "required": ["errors"],
      "properties": {
        "type": {"const": "/problems/invalid-email"},
        "status": {"const": 422},
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
      }
    },
    "InvalidFieldProblem": {
      "description": "A field of the body has an invalid value.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "required": ["errors"],
      "properties": {
        "type": {"const": "/problems/invalid-field"},
        "status": {"const": 422},
        "errors": {"$ref": "#/components/schemas/FieldErrors"}
      }
    },
    "WrongCodeProblem": {
      "description": "The code is not that of the mail, or it has expired.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "required": ["triesLeft", "errors"],
      "properties": {
        "type": {"const": "/problems/wrong-code"},
        "status": {"const": 422},
        "triesLeft": {"type": "integer", "minimum": 0, "maximum": 4},
        "errors": {"$ref": "#/components/schemas/FieldErrors"}
      }
    },
    "TooManyRequestsProblem": {
      "description": "The client has sent more requests of this kind than its rate allows.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/too-many-requests"}, "status": {"const": 429}}
    },
    "HeaderFieldsTooLargeProblem": {
      "description": "The header fields exceed the limits.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {
        "type": {"const": "/problems/header-fields-too-large"},
        "status": {"const": 431}
      }
    },
    "InternalProblem": {
      "description": "The service has a fault.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/internal"}, "status": {"const": 500}}
    },
    "CommandDisabledProblem": {
      "description": "The service is draining.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/command-disabled"}, "status": {"const": 503}}
    },
    "StorageUnavailableProblem": {
      "description": "Nothing can be stored at the moment; nothing was stored.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {
        "type": {"const": "/problems/storage-unavailable"},
        "status": {"const": 503}
      }
    },
    "TooManyConnectionsProblem": {
      "description": "The limit on connections is reached.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {
        "type": {"const": "/problems/too-many-connections"},
        "status": {"const": 503}
      }
    },
    "TooManyBodiesProblem": {
      "description": "The memory for bodies that are arriving is used up.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/too-many-bodies"}, "status": {"const": 503}}
    },
    "TooManyStreamsProblem": {
      "description": "The limit on event streams is reached.",
      "allOf": [{"$ref": "#/components/schemas/Problem"}],
      "properties": {"type": {"const": "/problems/too-many-streams"}, "status": {"const": 503}}
    }
    """#
}
