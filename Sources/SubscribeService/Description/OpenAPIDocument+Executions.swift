extension OpenAPIDocument {
  /// The routes of executions and their streams.
  static let executionPaths = #"""
    "/executions/{id}": {
      "parameters": [{"$ref": "#/components/parameters/ExecutionID"}],
      "get": {
        "operationId": "showExecution",
        "tags": ["executions"],
        "summary": "Shows the current state of an execution.",
        "description": "Unknown 24 hours after the sign-up.",
        "parameters": [{"$ref": "#/components/parameters/AcceptLanguage"}],
        "responses": {
          "200": {
            "description": "The state.",
            "headers": {
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              \#(sharedFields)
            },
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Execution"}}
            }
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "503": {"$ref": "#/components/responses/StorageUnavailable"},
          \#(anyRequest)
        }
      },
      "options": \#(options("optionsOfExecution"))
    },
    "/executions/{id}/events": {
      "parameters": [{"$ref": "#/components/parameters/ExecutionID"}],
      "get": {
        "operationId": "streamExecution",
        "tags": ["executions"],
        "summary": "Streams the status messages of an execution as server-sent events.",
        "parameters": [
          {
            "name": "until",
            "in": "query",
            "description": "`confirmed`: after `completed` the stream waits until the owner of \#
    the address has confirmed.",
            "schema": {"type": "string"},
            "example": "confirmed"
          },
          {"$ref": "#/components/parameters/LastEventIDField"},
          {"$ref": "#/components/parameters/LastEventID"},
          {"$ref": "#/components/parameters/AcceptLanguage"}
        ],
        "responses": {
          "200": {
            "description": "The events: `started`, then `completed` or `failed`, then the end of \#
    the stream. A client that opens streams too fast and accepts `text/event-stream` gets a \#
    stream that makes it retry later.",
            "headers": {
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              \#(sharedFields)
            },
            "content": {
              "text/event-stream": {
                "schema": {"type": "string", "contentMediaType": "text/event-stream"},
                "x-events": {
                  "started": {"$ref": "#/components/schemas/ExecutionEvent"},
                  "completed": {"$ref": "#/components/schemas/ExecutionEvent"},
                  "failed": {"$ref": "#/components/schemas/ExecutionEvent"},
                  "confirmed": {"$ref": "#/components/schemas/ExecutionEvent"},
                  "reset": {"$ref": "#/components/schemas/ResetEvent"}
                },
                "example": "id: 06gv3n5q-1\nevent: started\ndata: {\"message\":\"Sending \#
    request...\",…}\n\n"
              }
            }
          },
          "204": {
            "description": "The client has seen the last event. An `EventSource` does not \#
    reconnect.",
            "headers": {\#(sharedFields)}
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "429": {"$ref": "#/components/responses/TooManyRequests"},
          "503": {"$ref": "#/components/responses/ExecutionUnavailable"},
          \#(anyRequest)
        }
      },
      "options": \#(options("optionsOfExecutionEvents"))
    },
    "/status": {
      "get": {
        "operationId": "streamStatus",
        "tags": ["executions"],
        "summary": "Streams the status messages of all executions, anonymized, as server-sent \#
    events.",
        "parameters": [
          {"$ref": "#/components/parameters/LastEventIDField"},
          {"$ref": "#/components/parameters/LastEventID"},
          {"$ref": "#/components/parameters/AcceptLanguage"}
        ],
        "responses": {
          "200": {
            "description": "The events: `started`, `completed` and `failed`, without a person or \#
    an execution.",
            "headers": {
              "Cache-Control": {"$ref": "#/components/headers/CacheControl"},
              \#(sharedFields)
            },
            "content": {
              "text/event-stream": {
                "schema": {"type": "string", "contentMediaType": "text/event-stream"},
                "x-events": {
                  "started": {"$ref": "#/components/schemas/StatusEvent"},
                  "completed": {"$ref": "#/components/schemas/StatusEvent"},
                  "failed": {"$ref": "#/components/schemas/StatusEvent"},
                  "reset": {"$ref": "#/components/schemas/ResetEvent"}
                },
                "example": "id: k3f9a2c1-1\nevent: completed\ndata: \#
    {\"message\":\"Thanks\",\"state\":\"completed\",\"at\":\"2026-11-21T04:05:05.000Z\"}\n\n"
              }
            }
          },
          "400": {"$ref": "#/components/responses/MalformedRequest"},
          "403": {"$ref": "#/components/responses/StreamDisabled"},
          "429": {"$ref": "#/components/responses/TooManyRequests"},
          "503": {"$ref": "#/components/responses/StreamUnavailable"},
          \#(anyRequest)
        }
      },
      "options": \#(options("optionsOfStatus"))
    }
    """#
}
