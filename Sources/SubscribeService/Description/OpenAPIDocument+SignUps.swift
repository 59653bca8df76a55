extension OpenAPIDocument {
  /// The routes of sign-ups.
  static let signUpPaths = #"""
    "/subscribers": {
      "post": {
        "operationId": "signUp",
        "tags": ["sign-ups"],
        "summary": "Executes the sign-up of an address.",
        "description": "At most one sign-up of an address is in progress at a time. Unknown \#
    fields are ignored; a body has at most 32 fields.",
        "parameters": [
          {
            "name": "Prefer",
            "in": "header",
            "description": "`respond-async` requests the response when the execution starts (RFC \#
    7240).",
            "schema": {"type": "string"},
            "example": "respond-async"
          },
          {"$ref": "#/components/parameters/AcceptLanguage"}
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/SignUp"}},
            "application/x-www-form-urlencoded": {
              "schema": {"$ref": "#/components/schemas/SignUp"}
            },
            "multipart/form-data": {"schema": {"$ref": "#/components/schemas/SignUp"}}
          }
        },
        "responses": {
          "202": {
            "description": "Accepted, in every state of the list: nobody learns who is on it. The \#
    response is sent at the end of the execution, when the sign-up is stored durably.",
            "headers": {
              "Location": {"$ref": "#/components/headers/Location"},
              "Link": {"$ref": "#/components/headers/Link"},
              "Preference-Applied": {"$ref": "#/components/headers/PreferenceApplied"},
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              \#(sharedFields)
            },
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Execution"}}
            }
          },
          "303": {
            "description": "The response to a form of a browser: leads to `next` if its origin is \#
    allowed, otherwise to `/thanks/{id}`.",
            "headers": {
              "Location": {"$ref": "#/components/headers/Location"},
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              \#(sharedFields)
            }
          },
          "400": {"$ref": "#/components/responses/MalformedBody"},
          "403": {"$ref": "#/components/responses/OriginNotAllowed"},
          "409": {"$ref": "#/components/responses/AlreadyExecuting"},
          "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
          "422": {"$ref": "#/components/responses/InvalidSignUp"},
          "429": {"$ref": "#/components/responses/TooManyRequests"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyRequest)
        }
      },
      "options": \#(options("optionsOfSubscribers"))
    },
    "/email-checks": {
      "post": {
        "operationId": "checkEmail",
        "tags": ["sign-ups"],
        "summary": "Tells whether an address is valid, without storing it.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Address"}},
            "application/x-www-form-urlencoded": {
              "schema": {"$ref": "#/components/schemas/Address"}
            },
            "multipart/form-data": {"schema": {"$ref": "#/components/schemas/Address"}}
          }
        },
        "responses": {
          "200": {
            "description": "The result.",
            "headers": {
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              \#(sharedFields)
            },
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/EmailCheck"}}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedBody"},
          "403": {"$ref": "#/components/responses/OriginNotAllowed"},
          "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
          "422": {"$ref": "#/components/responses/InvalidField"},
          "429": {"$ref": "#/components/responses/TooManyRequests"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      },
      "options": \#(options("optionsOfEmailChecks"))
    },
    "/commands/subscribe": {
      "get": {
        "operationId": "showCommand",
        "tags": ["sign-ups"],
        "summary": "Shows the state of the command that executes sign-ups.",
        "responses": {
          "200": {
            "description": "The state.",
            "headers": {"Cache-Control": {"$ref": "#/components/headers/CacheControl"}},
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/SubscribeCommand"}}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          \#(anyRequest)
        }
      }
    }
    """#
}
