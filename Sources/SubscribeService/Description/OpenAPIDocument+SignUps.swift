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
          "content": {\#(fields("SignUp"))}
        },
        "responses": {
          "202": \#(
            result(
              "Accepted, in every state of the list: nobody learns who is on it. The response is "
                + "sent at the end of the execution, when the sign-up is stored durably.",
              "Execution",
              fields: ["Location", "Link", "Preference-Applied"] + sharedFields
            )
          ),
          "303": \#(
            response(
              "The response to a form of a browser: leads to `next` if its origin is allowed, "
                + "otherwise to `/thanks/{id}`.",
              fields: ["Location", "Cache-Control"] + sharedFields
            )
          ),
          \#(
            sharedResponses([
              400: "MalformedBody", 403: "OriginNotAllowed", 409: "AlreadyExecuting",
              415: "UnsupportedMediaType", 422: "InvalidSignUp", 429: "TooManyRequests",
              503: "StorageUnavailable",
            ])
          )
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
          "content": {\#(fields("Address"))}
        },
        "responses": {
          "200": \#(result("The result.", "EmailCheck", fields: sharedFields)),
          \#(
            sharedResponses([
              400: "MalformedBody", 403: "OriginNotAllowed", 415: "UnsupportedMediaType",
              422: "InvalidField", 429: "TooManyRequests", 503: "Unavailable",
            ])
          )
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
          "200": \#(result("The state.", "SubscribeCommand")),
          \#(sharedResponses([400: "MalformedRequest", 503: "Unavailable"]))
        }
      }
    }
    """#
}
