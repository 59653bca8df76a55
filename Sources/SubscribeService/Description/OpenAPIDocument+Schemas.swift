extension OpenAPIDocument {
  /// The schemas of bodies and events.
  static let schemas = #"""
    "SignUp": {
      "type": "object",
      "required": ["email"],
      "properties": {
        "email": {
          "type": "string",
          "format": "email",
          "description": "The address; its syntax is validated, and surrounding space is ignored.",
          "examples": ["ada@example.com"]
        },
        "next": {
          "type": "string",
          "maxLength": 2048,
          "description": "The URL to which a form redirects, at most 2,048 bytes; ignored if its \#
    origin is not allowed."
        },
        "locale": {
          "type": "string",
          "pattern": "^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,7}$",
          "maxLength": 35,
          "description": "A language tag (BCP 47).",
          "examples": ["de-AT"]
        },
        "consent": {
          "type": "string",
          "maxLength": 2048,
          "description": "The text to which the person agreed, or its id, at most 2,048 bytes."
        }
      }
    },
    "Address": {
      "type": "object",
      "properties": {
        "email": {
          "type": "string",
          "description": "The text to check; without it, the empty text.",
          "examples": ["ada@example.com"]
        }
      }
    },
    "Code": {
      "type": "object",
      "required": ["code"],
      "properties": {
        "code": {
          "type": "string",
          "description": "The six digits in the mail; spaces and hyphens are ignored.",
          "examples": ["271 828"]
        }
      }
    },
    "OneClick": {
      "description": "Any body is accepted; that of a mail program is `List-Unsubscribe=One-Click`.",
      "examples": [{"List-Unsubscribe": "One-Click"}]
    },
    "ExecutionID": {
      "type": "string",
      "pattern": "^[0-9a-v]{36}$",
      "examples": ["06gv3n5q0c1r8t7b2d4f6h8k0m2p4s6u8a1c"],
      "description": "The id of an execution. Anyone who knows it may read the execution."
    },
    "Execution": {
      "type": "object",
      "required": ["execution"],
      "properties": {
        "execution": {
          "type": "object",
          "required": ["id", "state", "message"],
          "properties": {
            "id": {"$ref": "#/components/schemas/ExecutionID"},
            "state": {
              "enum": ["executing", "completed", "failed"],
              "description": "`completed`: stored durably."
            },
            "message": {"$ref": "#/components/schemas/StatusMessage"}
          }
        }
      }
    },
    "StatusMessage": {"enum": ["Sending request...", "Thanks", "Error :("]},
    "StatusEvent": {
      "type": "object",
      "description": "The data of an event of `/status`.",
      "required": ["message", "state", "at"],
      "properties": {
        "message": {"$ref": "#/components/schemas/StatusMessage"},
        "state": {"enum": ["executing", "completed", "failed"]},
        "at": {"type": "string", "format": "date-time"}
      }
    },
    "ExecutionEvent": {
      "type": "object",
      "description": "The data of an event of `/executions/{id}/events`.",
      "required": ["message", "state", "at", "execution", "seq"],
      "properties": {
        "message": {"enum": ["Sending request...", "Thanks", "Error :(", "Confirmed"]},
        "state": {"enum": ["executing", "completed", "failed", "confirmed"]},
        "at": {"type": "string", "format": "date-time"},
        "execution": {"$ref": "#/components/schemas/ExecutionID"},
        "seq": {"enum": [1, 2, 3]}
      }
    },
    "ResetEvent": {
      "type": "object",
      "description": "The data of `reset`: the events that follow do not continue those that the \#
    client has seen.",
      "required": ["reason", "from"],
      "properties": {
        "reason": {"enum": ["invalid", "epoch", "expired"]},
        "from": {"type": "string", "description": "The id of the next event."}
      }
    },
    "EmailCheck": {
      "type": "object",
      "required": ["valid", "normalized", "reason", "detail", "suggestion", "warnings"],
      "properties": {
        "valid": {"type": "boolean"},
        "normalized": {
          "type": ["string", "null"],
          "description": "The address as it is stored; `null` if it is invalid."
        },
        "reason": {
          "oneOf": [{"$ref": "#/components/schemas/InvalidEmailReason"}, {"type": "null"}]
        },
        "detail": {"type": ["string", "null"], "description": "The reason for people."},
        "suggestion": {
          "type": ["string", "null"],
          "description": "The address that may have been meant."
        },
        "warnings": {
          "type": "array",
          "items": {
            "enum": [
              "trimmed", "leadingHyphen", "routingCharacter", "mixedScriptLocal", "emojiDomain",
              "legacyDots", "typo", "roleName"
            ]
          }
        }
      }
    },
    "InvalidEmailReason": {
      "enum": [
        "empty", "tooLong", "invalidUnicode", "controlCharacter", "displayName",
        "quotedLocalPart", "comment", "whitespace", "invisibleCharacter", "missingAt",
        "multipleAt", "missingLocalPart", "missingDomain", "localTooLong", "localCharacter",
        "localDots", "domainLiteral", "domainCharacter", "domainDots", "domainHyphen",
        "labelTooLong", "internationalDomain", "mixedScriptDomain", "singleLabelDomain",
        "topLevelDomain", "specialUseDomain"
      ]
    },
    "SubscribeCommand": {
      "type": "object",
      "required": ["enabled", "executing", "allowsConcurrentExecution"],
      "properties": {
        "enabled": {"type": "boolean", "description": "Whether sign-ups are accepted."},
        "executing": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of sign-ups in progress."
        },
        "allowsConcurrentExecution": {"const": false}
      }
    },
    "Subscribed": {
      "type": "object",
      "required": ["state"],
      "properties": {"state": {"const": "subscribed"}}
    },
    "Unsubscribed": {
      "type": "object",
      "required": ["state"],
      "properties": {"state": {"const": "unsubscribed"}}
    },
    "Message": {
      "type": "object",
      "required": ["message"],
      "properties": {"message": {"type": "string"}}
    },
    "Liveness": {
      "type": "object",
      "required": ["status"],
      "properties": {"status": {"const": "alive"}}
    },
    "Readiness": {
      "type": "object",
      "required": ["status"],
      "properties": {"status": {"const": "ready"}}
    }
    """#
}
