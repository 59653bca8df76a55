extension OpenAPIDocument {
  /// The routes of pages and their files.
  static let pagePaths = #"""
    "/": {
      "get": {
        "operationId": "showSignUpPage",
        "tags": ["pages"],
        "summary": "Shows the sign-up page.",
        "parameters": [
          {"$ref": "#/components/parameters/AcceptLanguage"},
          {"$ref": "#/components/parameters/IfNoneMatch"}
        ],
        "responses": {
          "200": {
            "description": "The page.",
            "headers": {
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              "Content-Security-Policy": {"$ref": "#/components/headers/ContentSecurityPolicy"},
              "ETag": {"$ref": "#/components/headers/ETag"},
              "Referrer-Policy": {"$ref": "#/components/headers/ReferrerPolicy"},
              "Vary": {"$ref": "#/components/headers/Vary"}
            },
            "content": {"text/html": {"schema": {"type": "string"}}}
          },
          "304": {"$ref": "#/components/responses/NotModified"},
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      }
    },
    "/thanks/{id}": {
      "parameters": [{"$ref": "#/components/parameters/ExecutionID"}],
      "get": {
        "operationId": "showThanks",
        "tags": ["pages"],
        "summary": "Shows the result of a form that was posted without a script.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": {
            "description": "The page.",
            "headers": {
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              "Content-Security-Policy": {"$ref": "#/components/headers/ContentSecurityPolicy"},
              "Referrer-Policy": {"$ref": "#/components/headers/ReferrerPolicy"},
              "Vary": {"$ref": "#/components/headers/Vary"},
              "X-Robots-Tag": {"$ref": "#/components/headers/XRobotsTag"}
            },
            "content": {"text/html": {"schema": {"type": "string"}}}
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyRequest)
        }
      }
    },
    "/problems/{name}": {
      "parameters": [
        {
          "name": "name",
          "in": "path",
          "required": true,
          "schema": {
            "enum": [
              "malformed-body", "malformed-request", "origin-not-allowed", "stream-disabled",
              "not-found", "method-not-allowed", "request-timeout", "already-executing",
              "token-expired", "too-large", "uri-too-long", "unsupported-media-type",
              "expectation-failed", "misdirected-request", "invalid-email", "invalid-field",
              "wrong-code", "too-many-requests", "header-fields-too-large", "internal",
              "command-disabled", "storage-unavailable", "too-many-connections",
              "too-many-bodies", "too-many-streams", "unauthorized", "insufficient-scope",
              "key-in-browser", "too-many-failures"
            ],
            "description": "The last four are problems of the operator's listener."
          }
        }
      ],
      "get": {
        "operationId": "explainProblem",
        "tags": ["pages"],
        "summary": "Explains a type of problem.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": {
            "description": "The page.",
            "headers": {
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              "Content-Security-Policy": {"$ref": "#/components/headers/ContentSecurityPolicy"},
              "Referrer-Policy": {"$ref": "#/components/headers/ReferrerPolicy"},
              "Vary": {"$ref": "#/components/headers/Vary"},
              "X-Robots-Tag": {"$ref": "#/components/headers/XRobotsTag"}
            },
            "content": {"text/html": {"schema": {"type": "string"}}}
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      }
    },
    "/embed.js": {
      "get": {
        "operationId": "getEmbedScript",
        "tags": ["pages"],
        "summary": "Serves the script that makes sign-up forms live, on other sites, too.",
        "parameters": [{"$ref": "#/components/parameters/IfNoneMatch"}],
        "responses": {
          "200": {
            "description": "The file.",
            "headers": {
              "ETag": {"$ref": "#/components/headers/ETag"},
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"}
            },
            "content": {"text/javascript": {"schema": {"type": "string"}}}
          },
          "304": {"$ref": "#/components/responses/NotModified"},
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      }
    },
    "/code.js": {
      "get": {
        "operationId": "getCodeScript",
        "tags": ["pages"],
        "summary": "Serves the script that waits for the confirmation.",
        "parameters": [{"$ref": "#/components/parameters/IfNoneMatch"}],
        "responses": {
          "200": {
            "description": "The file.",
            "headers": {
              "ETag": {"$ref": "#/components/headers/ETag"},
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"}
            },
            "content": {"text/javascript": {"schema": {"type": "string"}}}
          },
          "304": {"$ref": "#/components/responses/NotModified"},
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      }
    },
    "/page.css": {
      "get": {
        "operationId": "getStyles",
        "tags": ["pages"],
        "summary": "Serves the styles of the pages.",
        "parameters": [{"$ref": "#/components/parameters/IfNoneMatch"}],
        "responses": {
          "200": {
            "description": "The file.",
            "headers": {
              "ETag": {"$ref": "#/components/headers/ETag"},
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"}
            },
            "content": {"text/css": {"schema": {"type": "string"}}}
          },
          "304": {"$ref": "#/components/responses/NotModified"},
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      }
    },
    "/icon.svg": {
      "get": {
        "operationId": "getIcon",
        "tags": ["pages"],
        "summary": "Serves the icon of the pages.",
        "parameters": [{"$ref": "#/components/parameters/IfNoneMatch"}],
        "responses": {
          "200": {
            "description": "The file.",
            "headers": {
              "ETag": {"$ref": "#/components/headers/ETag"},
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"}
            },
            "content": {"image/svg+xml": {"schema": {"type": "string"}}}
          },
          "304": {"$ref": "#/components/responses/NotModified"},
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      }
    }
    """#

  /// The routes for programs that operate or call the service.
  static let operationPaths = #"""
    "/openapi.json": {
      "get": {
        "operationId": "getDescription",
        "tags": ["pages"],
        "summary": "Serves this description.",
        "parameters": [{"$ref": "#/components/parameters/IfNoneMatch"}],
        "responses": {
          "200": {
            "description": "The file.",
            "headers": {
              "ETag": {"$ref": "#/components/headers/ETag"},
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"}
            },
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["openapi"],
                  "properties": {"openapi": {"type": "string"}}
                }
              }
            }
          },
          "304": {"$ref": "#/components/responses/NotModified"},
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      }
    },
    "/livez": {
      "get": {
        "operationId": "isAlive",
        "tags": ["operation"],
        "summary": "Responds as long as the process does, for every host.",
        "responses": {
          "200": {
            "description": "The process responds.",
            "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Liveness"}}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyHost)
        }
      }
    },
    "/readyz": {
      "get": {
        "operationId": "isReady",
        "tags": ["operation"],
        "summary": "Tells whether sign-ups can be stored, for every host.",
        "responses": {
          "200": {
            "description": "They can.",
            "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Readiness"}}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyHost)
        }
      }
    }
    """#
}
