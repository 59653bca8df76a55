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
          "200": \#(result("The state.", "Execution", fields: sharedFields)),
          \#(sharedResponses([400: "MalformedRequest", 404: "NotFound", 503: "StorageUnavailable"]))
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
          \#(streamParameters)
        ],
        "responses": {
          "200": \#(
            stream(
              "The events: `started`, then `completed` or `failed`, then the end of the stream. A "
                + "client that opens streams too fast and accepts `text/event-stream` gets a stream "
                + "that makes it retry later.",
              events: ["started", "completed", "failed", "confirmed"],
              "ExecutionEvent",
              example: #"id: 06gv3n5q-1\nevent: started\ndata: {\"message\":\"Sending request...\",…}"#
            )
          ),
          "204": \#(
            response(
              "The client has seen the last event. An `EventSource` does not reconnect.",
              fields: sharedFields
            )
          ),
          \#(
            sharedResponses([
              400: "MalformedRequest", 404: "NotFound", 429: "TooManyRequests",
              503: "ExecutionUnavailable",
            ])
          )
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
        "parameters": [\#(streamParameters)],
        "responses": {
          "200": \#(
            stream(
              "The events: `started`, `completed` and `failed`, without a person or an execution.",
              events: ["started", "completed", "failed"],
              "StatusEvent",
              example: #"id: k3f9a2c1-1\nevent: completed\ndata: {\"message\":\"Thanks\","#
                + #"\"state\":\"completed\",\"at\":\"2026-11-21T04:05:05.000Z\"}"#
            )
          ),
          \#(
            sharedResponses([
              400: "MalformedRequest", 403: "StreamDisabled", 429: "TooManyRequests",
              503: "StreamUnavailable",
            ])
          )
        }
      },
      "options": \#(options("optionsOfStatus"))
    }
    """#

  /// The parameters of every event stream.
  private static let streamParameters = list(
    ["LastEventIDField", "LastEventID", "AcceptLanguage"].map { reference("parameters", $0) }
  )

  /// Returns a response with an event stream.
  ///
  /// - Parameter example: An event, without the empty line at its end.
  private static func stream(
    _ description: String,
    events: [String],
    _ schema: String,
    example: String
  ) -> String {
    let schemas = events.map { #""\#($0)": \#(reference("schemas", schema))"# }
    return response(
      description,
      fields: ["Cache-Control"] + sharedFields,
      content: #"""
        "text/event-stream": {
          "schema": {"type": "string", "contentMediaType": "text/event-stream"},
          "x-events": {
            \#(list(schemas)),
            "reset": {"$ref": "#/components/schemas/ResetEvent"}
          },
          "example": "\#(example)\n\n"
        }
        """#
    )
  }
}
