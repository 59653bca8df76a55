extension OpenAPIDocument {
  /// The parameters that several routes share.
  static let parameters = #"""
    "ExecutionID": {
      "name": "id",
      "in": "path",
      "required": true,
      "schema": {"$ref": "#/components/schemas/ExecutionID"}
    },
    "Token": {
      "name": "token",
      "in": "path",
      "required": true,
      "description": "The secret of the link in a mail. Anyone who knows it may use the link.",
      "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"}
    },
    "AcceptLanguage": {
      "name": "Accept-Language",
      "in": "header",
      "description": "The language of texts for people: English, German, French, Spanish or \#
    Simplified Chinese.",
      "schema": {"type": "string"},
      "example": "de"
    },
    "IfNoneMatch": {
      "name": "If-None-Match",
      "in": "header",
      "description": "The `ETag` of a cached copy.",
      "schema": {"type": "string"}
    },
    "LastEventIDField": {
      "name": "Last-Event-ID",
      "in": "header",
      "description": "The last event that the client has seen, which an `EventSource` sends when \#
    it reconnects.",
      "schema": {"type": "string"}
    },
    "LastEventID": {
      "name": "last_event_id",
      "in": "query",
      "description": "The same for the first connection; `earliest` requests all events that are \#
    kept.",
      "schema": {"type": "string"}
    }
    """#

  /// The header fields of responses.
  static let headerFields = #"""
    "AcceptPost": {
      "description": "The supported media types of a body.",
      "schema": {"type": "string"}
    },
    "AccessControlAllowHeaders": {
      "description": "The header fields that a page of an allowed site may send.",
      "schema": {"type": "string"}
    },
    "AccessControlAllowMethods": {
      "description": "The methods that a page of an allowed site may use.",
      "schema": {"type": "string"}
    },
    "AccessControlAllowOrigin": {
      "description": "The origin of the page, if its site is allowed and the path is shared with \#
    other sites.",
      "schema": {"type": "string"}
    },
    "AccessControlExposeHeaders": {
      "description": "`location, link, retry-after`, for a page of an allowed site.",
      "schema": {"type": "string"}
    },
    "AccessControlMaxAge": {
      "description": "How long a browser may remember the response to a preflight, in seconds.",
      "schema": {"type": "string"}
    },
    "Allow": {"description": "The methods that the path supports.", "schema": {"type": "string"}},
    "CacheControl": {
      "description": "How long a cache may keep the response: `no-store` for whatever is made for \#
    one client.",
      "schema": {"type": "string"}
    },
    "ContentSecurityPolicy": {
      "description": "Only the service's own scripts, styles and images; no frames.",
      "schema": {"type": "string"}
    },
    "ETag": {"description": "Changes whenever the content does.", "schema": {"type": "string"}},
    "Link": {
      "description": "The execution's event stream, with the relation `monitor`.",
      "schema": {"type": "string"}
    },
    "Location": {
      "description": "Where to go on.",
      "schema": {"type": "string", "format": "uri-reference"}
    },
    "PreferenceApplied": {
      "description": "`respond-async`, if the response precedes the end of the execution.",
      "schema": {"type": "string"}
    },
    "ReferrerPolicy": {
      "description": "`no-referrer` where the URL is a secret, otherwise `same-origin`.",
      "schema": {"type": "string"}
    },
    "RetryAfter": {
      "description": "When to try again, in seconds.",
      "schema": {"type": "integer", "minimum": 1}
    },
    "Vary": {
      "description": "The header fields of the request on which the response depends.",
      "schema": {"type": "string"}
    },
    "XRobotsTag": {
      "description": "`noindex`: the page is personal.",
      "schema": {"type": "string"}
    }
    """#
}
