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
          "200": \#(response("The page.", fields: pageFields + ["ETag"], content: page)),
          \#(sharedResponses([304: "NotModified", 400: "MalformedRequest", 503: "Unavailable"]))
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
          "200": \#(personalPage("The page.")),
          \#(sharedResponses([400: "MalformedRequest", 404: "NotFound", 503: "StorageUnavailable"]))
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
          "200": \#(personalPage("The page.")),
          \#(sharedResponses([400: "MalformedRequest", 404: "NotFound", 503: "Unavailable"]))
        }
      }
    },
    \#(
      file(
        "/embed.js",
        id: "getEmbedScript",
        "Serves the script that makes sign-up forms live, on other sites, too.",
        content("text/javascript", anyText)
      )
    ),
    \#(
      file(
        "/embed.json",
        id: "getScriptTexts",
        "Serves the texts of that script, in the language of its form.",
        content("application/json", #"{"type": "object"}"#)
      )
    ),
    \#(
      file(
        "/code.js",
        id: "getCodeScript",
        "Serves the script that waits for the confirmation.",
        content("text/javascript", anyText)
      )
    ),
    \#(
      file(
        "/page.css",
        id: "getStyles",
        "Serves the styles of the pages.",
        content("text/css", anyText)
      )
    ),
    \#(
      file(
        "/icon.svg",
        id: "getIcon",
        "Serves the icon of the pages.",
        content("image/svg+xml", anyText)
      )
    )
    """#

  /// The routes for programs that operate or call the service.
  static let operationPaths = #"""
    \#(
      file(
        "/openapi.json",
        id: "getDescription",
        "Serves this description.",
        content(
          "application/json",
          #"{"type": "object", "required": ["openapi"], "properties": {"openapi": \#(anyText)}}"#
        )
      )
    ),
    "/livez": {
      "get": {
        "operationId": "isAlive",
        "tags": ["operation"],
        "summary": "Responds as long as the process does, for every host.",
        "responses": {
          "200": \#(result("The process responds.", "Liveness")),
          \#(sharedResponses([400: "MalformedRequest", 503: "Unavailable"], everyHost: true))
        }
      }
    },
    "/readyz": {
      "get": {
        "operationId": "isReady",
        "tags": ["operation"],
        "summary": "Tells whether sign-ups can be stored, for every host.",
        "responses": {
          "200": \#(result("They can.", "Readiness")),
          \#(sharedResponses([400: "MalformedRequest", 503: "StorageUnavailable"], everyHost: true))
        }
      }
    }
    """#

  /// Returns the path of a file that is the same for everyone.
  private static func file(
    _ path: String,
    id: String,
    _ summary: String,
    _ content: String
  ) -> String {
    #"""
    "\#(path)": {
      "get": {
        "operationId": "\#(id)",
        "tags": ["pages"],
        "summary": "\#(summary)",
        "parameters": [{"$ref": "#/components/parameters/IfNoneMatch"}],
        "responses": {
          "200": \#(response("The file.", fields: ["ETag", "Cache-Control"], content: content)),
          \#(sharedResponses([304: "NotModified", 400: "MalformedRequest", 503: "Unavailable"]))
        }
      }
    }
    """#
  }
}
