/// The description of the service for programs and their authors (OpenAPI 3.1), which
/// `GET /openapi.json` serves.
///
/// It is written by hand. Tests compare it with the routes and the types of problems in both
/// directions, and a program tests the service against it.
///
/// It is text rather than a file to embed: embedded as an array of bytes, it takes the compiler half
/// a minute, in a release build a minute.
enum OpenAPIDocument {
  /// The document as JSON.
  static let text = #"""
    {
      "openapi": "3.1.0",
      "info": {
        "title": "Enlist",
        "version": "1.0.0",
        "summary": "Email sign-up: forms, status messages, confirmation by mail, leaving.",
        "description": "\#(introduction)",
        "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
      },
      "servers": [{"url": "/"}],
      "security": [],
      "tags": [
        {"name": "sign-ups"},
        {"name": "executions"},
        {"name": "confirmation", "description": "Double opt-in; without it, nothing is found."},
        {"name": "pages"},
        {"name": "operation"},
        {"name": "cross-origin", "description": "What browsers ask before pages of other sites do."}
      ],
      "paths": {
    \#(signUpPaths),
    \#(executionPaths),
    \#(confirmationPaths),
    \#(pagePaths),
    \#(operationPaths)
      },
      "components": {
        "schemas": {
    \#(schemas),
    \#(problemSchemas)
        },
        "responses": {
    \#(responses)
        },
        "parameters": {
    \#(parameters)
        },
        "headers": {
    \#(headerFields)
        }
      }
    }

    """#

  private static let introduction = #"""
    Within a major version, members are added, never renamed, removed or retyped; ignore those you \#
    do not know.\n\nHEAD works wherever GET does. Errors are problem details (RFC 9457), or pages \#
    for clients that prefer `text/html` to `application/json`. Every response has \#
    `X-Content-Type-Options: nosniff`, and over TLS `Strict-Transport-Security`; every page has \#
    `Content-Security-Policy`, `Referrer-Policy` and `Vary`. Paths that list OPTIONS are shared \#
    with the pages of allowed sites (CORS, without credentials); a POST from a page of another \#
    site gets 403. Every path responds with 405 to methods that it does not list. A request that \#
    libmicrohttpd cannot parse gets an error page of its own.
    """#
}
