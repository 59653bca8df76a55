extension OpenAPIDocument {
  /// The responses that several routes share.
  static let responses = #"""
    "MalformedBody": {
      "description": "The body or the head of the request is malformed.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {
            "oneOf": [
              {"$ref": "#/components/schemas/MalformedBodyProblem"},
              {"$ref": "#/components/schemas/MalformedRequestProblem"}
            ]
          }
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "MalformedRequest": {
      "description": "The head of the request is malformed. The connection is closed.",
      "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/MalformedRequestProblem"}
        }
      }
    },
    "OriginNotAllowed": {
      "description": "The page belongs to a site that is not allowed.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Vary": {"$ref": "#/components/headers/Vary"}
      },
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/OriginNotAllowedProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "StreamDisabled": {
      "description": "The stream is switched off.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/StreamDisabledProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "NotFound": {
      "description": "Unknown, or no longer known.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/NotFoundProblem"}},
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "MethodNotAllowed": {
      "description": "Every path gives this response to a method that it does not list.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Allow": {"$ref": "#/components/headers/Allow"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/MethodNotAllowedProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "RequestTimeout": {
      "description": "The request did not arrive in time. The connection is closed.",
      "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/RequestTimeoutProblem"}
        }
      }
    },
    "AlreadyExecuting": {
      "description": "A sign-up of this address is in progress; the response does not identify it.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Retry-After": {"$ref": "#/components/headers/RetryAfter"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/AlreadyExecutingProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "TokenExpired": {
      "description": "The link has expired. The page has a button that requests a new one.",
      "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/TokenExpiredProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "TooLarge": {
      "description": "The body exceeds the limit.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/TooLargeProblem"}},
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "URITooLong": {
      "description": "The path and the query are too long.",
      "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/URITooLongProblem"}
        }
      }
    },
    "UnsupportedMediaType": {
      "description": "The body has no media type, or one that is not supported.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Accept-Post": {"$ref": "#/components/headers/AcceptPost"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/UnsupportedMediaTypeProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "ExpectationFailed": {
      "description": "`Expect` has a value other than `100-continue`.",
      "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/ExpectationFailedProblem"}
        }
      }
    },
    "MisdirectedRequest": {
      "description": "The request is for another host.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/MisdirectedRequestProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "InvalidSignUp": {
      "description": "The address or another field is invalid. A form gets the page again, with \#
    what was typed.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {
            "oneOf": [
              {"$ref": "#/components/schemas/InvalidEmailProblem"},
              {"$ref": "#/components/schemas/InvalidFieldProblem"}
            ]
          }
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "InvalidField": {
      "description": "A field is invalid.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/InvalidFieldProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "WrongCode": {
      "description": "The code is wrong, has expired, or is not a code.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {
            "oneOf": [
              {"$ref": "#/components/schemas/WrongCodeProblem"},
              {"$ref": "#/components/schemas/InvalidFieldProblem"}
            ]
          }
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "TooManyRequests": {
      "description": "Too many requests from one client.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Retry-After": {"$ref": "#/components/headers/RetryAfter"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/TooManyRequestsProblem"}
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "HeaderFieldsTooLarge": {
      "description": "The header fields are too large.",
      "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
      "content": {
        "application/problem+json": {
          "schema": {"$ref": "#/components/schemas/HeaderFieldsTooLargeProblem"}
        }
      }
    },
    "Internal": {
      "description": "The service has a fault.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/InternalProblem"}},
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "Unavailable": {
      "description": "The service is draining or busy; nothing happened.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Retry-After": {"$ref": "#/components/headers/RetryAfter"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {
            "oneOf": [
              {"$ref": "#/components/schemas/CommandDisabledProblem"},
              {"$ref": "#/components/schemas/TooManyConnectionsProblem"},
              {"$ref": "#/components/schemas/TooManyBodiesProblem"}
            ]
          }
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "StorageUnavailable": {
      "description": "Nothing can be stored or read at the moment, or the service is draining or \#
    busy; nothing happened.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Retry-After": {"$ref": "#/components/headers/RetryAfter"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {
            "oneOf": [
              {"$ref": "#/components/schemas/StorageUnavailableProblem"},
              {"$ref": "#/components/schemas/CommandDisabledProblem"},
              {"$ref": "#/components/schemas/TooManyConnectionsProblem"},
              {"$ref": "#/components/schemas/TooManyBodiesProblem"}
            ]
          }
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "StreamUnavailable": {
      "description": "There are too many streams, or the service is draining or busy.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Retry-After": {"$ref": "#/components/headers/RetryAfter"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {
            "oneOf": [
              {"$ref": "#/components/schemas/TooManyStreamsProblem"},
              {"$ref": "#/components/schemas/CommandDisabledProblem"},
              {"$ref": "#/components/schemas/TooManyConnectionsProblem"},
              {"$ref": "#/components/schemas/TooManyBodiesProblem"}
            ]
          }
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "ExecutionUnavailable": {
      "description": "There are too many streams, nothing can be read at the moment, or the \#
    service is draining or busy.",
      "headers": {
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
        "Retry-After": {"$ref": "#/components/headers/RetryAfter"},
        \#(sharedFields)
      },
      "content": {
        "application/problem+json": {
          "schema": {
            "oneOf": [
              {"$ref": "#/components/schemas/TooManyStreamsProblem"},
              {"$ref": "#/components/schemas/StorageUnavailableProblem"},
              {"$ref": "#/components/schemas/CommandDisabledProblem"},
              {"$ref": "#/components/schemas/TooManyConnectionsProblem"},
              {"$ref": "#/components/schemas/TooManyBodiesProblem"}
            ]
          }
        },
        "text/html": {"schema": {"type": "string"}}
      }
    },
    "NotModified": {
      "description": "The cached file is current.",
      "headers": {
        "ETag": {"$ref": "#/components/headers/ETag"},
        "Cache-Control": {"$ref": "#/components/headers/CacheControl"}
      }
    },
    "Options": {
      "description": "What the path supports: `Allow` for a client without `Origin`, otherwise \#
    the response to a preflight.",
      "headers": {
        "Allow": {"$ref": "#/components/headers/Allow"},
        "Access-Control-Allow-Origin": {"$ref": "#/components/headers/AccessControlAllowOrigin"},
        "Access-Control-Allow-Methods": {
          "$ref": "#/components/headers/AccessControlAllowMethods"
        },
        "Access-Control-Allow-Headers": {
          "$ref": "#/components/headers/AccessControlAllowHeaders"
        },
        "Access-Control-Max-Age": {"$ref": "#/components/headers/AccessControlMaxAge"},
        "Vary": {"$ref": "#/components/headers/Vary"}
      }
    }
    """#
}
