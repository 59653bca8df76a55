extension OpenAPIDocument {
  /// The routes of the links and the code of a mail.
  static let confirmationPaths = #"""
    "/executions/{id}/code": {
      "parameters": [{"$ref": "#/components/parameters/ExecutionID"}],
      "post": {
        "operationId": "confirmByCode",
        "tags": ["confirmation"],
        "summary": "Confirms by the code of the mail.",
        "description": "Five codes may be tried.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Code"}},
            "application/x-www-form-urlencoded": {
              "schema": {"$ref": "#/components/schemas/Code"}
            },
            "multipart/form-data": {"schema": {"$ref": "#/components/schemas/Code"}}
          }
        },
        "responses": {
          "200": {
            "description": "Confirmed.",
            "headers": {
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              \#(sharedFields)
            },
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Subscribed"}},
              "text/html": {"schema": {"type": "string"}}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedBody"},
          "403": {"$ref": "#/components/responses/OriginNotAllowed"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
          "422": {"$ref": "#/components/responses/WrongCode"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyRequest)
        }
      },
      "options": \#(options("optionsOfCode"))
    },
    "/confirm/{token}": {
      "parameters": [{"$ref": "#/components/parameters/Token"}],
      "get": {
        "operationId": "showConfirmation",
        "tags": ["confirmation"],
        "summary": "Shows the page to which the mail leads; changes nothing.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": {
            "description": "The page, with one button.",
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
          "410": {"$ref": "#/components/responses/TokenExpired"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyRequest)
        }
      },
      "post": {
        "operationId": "confirm",
        "tags": ["confirmation"],
        "summary": "Confirms; can be repeated. A body is ignored.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": {
            "description": "Confirmed, now or earlier.",
            "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Subscribed"}},
              "text/html": {"schema": {"type": "string"}}
            }
          },
          "303": {
            "description": "The response to a browser, if the sign-up named an allowed `next`.",
            "headers": {
              "Location": {"$ref": "#/components/headers/Location"},
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              "Referrer-Policy": {"$ref": "#/components/headers/ReferrerPolicy"}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "410": {"$ref": "#/components/responses/TokenExpired"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyRequest)
        }
      }
    },
    "/confirm/{token}/mail": {
      "parameters": [{"$ref": "#/components/parameters/Token"}],
      "post": {
        "operationId": "sendNewLink",
        "tags": ["confirmation"],
        "summary": "Sends a new link, within the budget of the mailbox. A body is ignored.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": {
            "description": "The same in every case.",
            "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Message"}},
              "text/html": {"schema": {"type": "string"}}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyRequest)
        }
      }
    },
    "/unsubscribe/{token}": {
      "parameters": [{"$ref": "#/components/parameters/Token"}],
      "get": {
        "operationId": "showLeaving",
        "tags": ["confirmation"],
        "summary": "Shows the page to leave the list; changes nothing.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": {
            "description": "The page, with one button.",
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
      },
      "post": {
        "operationId": "leave",
        "tags": ["confirmation"],
        "summary": "Leaves the list; can be repeated. Mail programs send it on one click (RFC \#
    8058).",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "requestBody": {
          "description": "Any body, or none.",
          "content": {
            "application/x-www-form-urlencoded": {
              "schema": {"$ref": "#/components/schemas/OneClick"}
            },
            "multipart/form-data": {"schema": {"$ref": "#/components/schemas/OneClick"}}
          }
        },
        "responses": {
          "200": {
            "description": "No longer on the list.",
            "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Unsubscribed"}},
              "text/html": {"schema": {"type": "string"}}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyRequest)
        }
      }
    }
    """#
}
