package import HTTPTypes
internal import Platform

/// The reason why a request failed, readable by programs and people (RFC 9457).
package struct ProblemDetails: Error {
  /// An error in one field of the request body; for people, it has the text of the problem.
  package struct FieldError: Hashable, Sendable {
    /// The position of the field in the body, as a JSON pointer (RFC 6901).
    package var pointer: String
    /// The error, for programs.
    package var code: String

    package init(pointer: String, code: String) {
      self.pointer = pointer
      self.code = code
    }
  }

  /// The last segment of the type: `not-found` in `/problems/not-found`.
  package let name: String
  package let status: HTTPResponse.Status
  /// The explanation of this occurrence, and what to do about it.
  package let text: ProblemText
  /// Additional header fields of the response, for example `Retry-After` or `Allow`.
  package let fields: FieldList
  /// The errors in single fields of the body.
  package let errors: [FieldError]
  /// The value that the client may have meant; an extension member (RFC 9457 §3.2).
  package var suggestion: String?
  /// The number of attempts that the client has left; an extension member (RFC 9457 §3.2).
  package var triesLeft: Int?
  /// The part of the service that is not ready; an extension member (RFC 9457 §3.2).
  package var part: String?
  /// The time since which that part is not ready (RFC 3339); an extension member.
  package var since: String?

  /// Creates problem details; the text must not repeat what the client sent, except for the name of
  /// a field.
  package init(
    _ type: some ProblemType, text: ProblemText, fields: FieldList = FieldList(),
    errors: [FieldError] = []
  ) {
    name = type.rawValue
    status = type.status
    self.text = text
    self.fields = fields
    self.errors = errors
  }

  /// Creates problem details with the text of their type.
  package init(
    _ type: some ProblemType, _ arguments: [ProblemText.Argument] = [],
    fields: FieldList = FieldList(), errors: [FieldError] = []
  ) {
    self.init(type, text: ProblemText(of: type, arguments), fields: fields, errors: errors)
  }

  /// Creates problem details with one of the texts of their type, which has no arguments.
  package init(
    _ type: some ProblemType, _ key: some TextKey, fields: FieldList = FieldList(),
    errors: [FieldError] = []
  ) {
    self.init(type, text: ProblemText(key), fields: fields, errors: errors)
  }

  /// The key of the title of the type.
  package var titleKey: String { "problem.\(name).title" }

  /// Creates the JSON response; the request is `nil` if none has arrived, or if its path must not
  /// be repeated.
  ///
  /// The member `instance` is the path of the request. It is omitted if there is no request, or if
  /// the path is too long or could contain an email address.
  package func response(to request: Request?, title: String, detail: String) -> Response {
    var json = JSONText()
    json.object { object in
      object.member("type", "/problems/\(name)")
      object.member("title", title)
      object.member("status", status.code)
      object.member("detail", detail)
      if let suggestion { object.member("suggestion", suggestion) }
      if let triesLeft { object.member("triesLeft", triesLeft) }
      if let part { object.member("part", part) }
      if let since { object.member("since", since) }
      if let path = request?.path, Self.isPlain(path) { object.member("instance", path) }
      if !errors.isEmpty {
        object.array("errors", errors) { error, element in
          element.member("pointer", error.pointer)
          element.member("code", error.code)
          element.member("detail", detail)
        }
      }
    }
    var fields = FieldList()
    fields.append(.contentType, "application/problem+json")
    fields.append(.cacheControl, "no-store")
    fields.append(contentsOf: self.fields)
    return Response(status: status, fields: fields, body: .bytes(json.bytes))
  }

  /// Whether a path is short and has only slashes and unreserved characters (RFC 3986 §2.3).
  ///
  /// A response never repeats any other path, because it may contain an email address. No path of
  /// the service is longer than 256 bytes.
  private static func isPlain(_ path: String) -> Bool {
    path.utf8.count <= 256 && path.utf8.first == UInt8(ascii: "/")
      && path.allBytes { byte in
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "~"):
          true
        default: byte.isASCIILetter || byte.isASCIIDigit
        }
      }
  }
}

/// A key of a text for people.
///
/// The program that responds has the texts, in the languages of its clients. Only an enum of keys
/// can be the text of a problem, so the keys in use can be listed.
package protocol TextKey: CaseIterable, Sendable {
  /// For example `problem.too-large.detail`.
  var key: String { get }
}

extension TextKey where Self: RawRepresentable<String> {
  package var key: String { rawValue }
}

/// The text of a problem: its key, and the values of its arguments.
///
/// A value must not be anything that the client sent.
package struct ProblemText: Hashable, Sendable {
  package struct Argument: Hashable, Sendable {
    /// The name: `bytes` is written as `{bytes}` in the text.
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    package init(_ name: String, _ value: Int) {
      self.init(name, String(value))
    }
  }

  package let key: String
  package let arguments: [Argument]

  /// Creates the text of a type whose problems have one text.
  package init(of type: some ProblemType, _ arguments: [Argument] = []) {
    key = "problem.\(type.rawValue).detail"
    self.arguments = arguments
  }

  package init(_ key: some TextKey, _ arguments: [Argument] = []) {
    self.key = key.key
    self.arguments = arguments
  }
}

/// The texts of problems in one language, for a service without its own texts.
package struct ProblemWording: Sendable {
  /// Returns the title of a problem's type.
  package let title: @Sendable (ProblemDetails) -> String
  /// Returns the text of a problem.
  package let detail: @Sendable (ProblemText) -> String
  /// Returns the help on a type, by its name; `nil` if there is no such type.
  package let help: @Sendable (String) -> String?

  package init(
    title: @escaping @Sendable (ProblemDetails) -> String,
    detail: @escaping @Sendable (ProblemText) -> String,
    help: @escaping @Sendable (String) -> String?
  ) {
    self.title = title
    self.detail = detail
    self.help = help
  }
}
