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
          "content": {\#(fields("Code"))}
        },
        "responses": {
          "200": \#(result("Confirmed.", "Subscribed", fields: sharedFields, orPage: true)),
          \#(
            sharedResponses([
              400: "MalformedBody", 403: "OriginNotAllowed", 404: "NotFound",
              415: "UnsupportedMediaType", 422: "WrongCode", 503: "StorageUnavailable",
            ])
          )
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
          "200": \#(personalPage("The page, with one button.")),
          \#(
            sharedResponses([
              400: "MalformedRequest", 404: "NotFound", 410: "TokenExpired",
              503: "StorageUnavailable",
            ])
          )
        }
      },
      "post": {
        "operationId": "confirm",
        "tags": ["confirmation"],
        "summary": "Confirms; can be repeated. A body is ignored.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": \#(result("Confirmed, now or earlier.", "Subscribed", orPage: true)),
          "303": \#(
            response(
              "The response to a browser, if the sign-up named an allowed `next`.",
              fields: ["Location", "Cache-Control", "Referrer-Policy"]
            )
          ),
          \#(
            sharedResponses([
              400: "MalformedRequest", 404: "NotFound", 410: "TokenExpired",
              503: "StorageUnavailable",
            ])
          )
        }
      }
    },
    "/confirm/{token}/mail": {
      "parameters": [{"$ref": "#/components/parameters/Token"}],
      "post": {
        "operationId": "sendNewLink",
        "tags": ["confirmation"],
        "summary": "Sends a new link, within the budget of the mailbox, and once in ten minutes for \#
    each link. A body is ignored.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": \#(result("The same for every link of a mail.", "Message", orPage: true)),
          \#(
            sharedResponses([
              400: "MalformedRequest", 404: "NotFound", 429: "TooManyRequests",
              503: "StorageUnavailable",
            ])
          )
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
          "200": \#(personalPage("The page, with one button.")),
          \#(sharedResponses([400: "MalformedRequest", 404: "NotFound", 503: "StorageUnavailable"]))
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
          "200": \#(result("No longer on the list.", "Unsubscribed", orPage: true)),
          \#(sharedResponses([400: "MalformedRequest", 404: "NotFound", 503: "StorageUnavailable"]))
        }
      }
    }
    """#
}
