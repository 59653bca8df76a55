internal import HTTPTypes

extension Row {
  /// The most expensive requests that each route accepts, compared with its cheapest one.
  static var ofCostlyRequests: [Row] {
    bodies + heads
  }

  private static let form = "application/x-www-form-urlencoded"
  private static let page = "text/html,*/*;q=0.1"

  private static var bodies: [Row] {
    let escapes = "email=" + String(repeating: "%41", count: 5_400)
    let fields = (0..<32).map { "f\($0)=" + String(repeating: "%c3%a9", count: 84) }
    let line = String(repeating: "X: y\r\n", count: 15)
    let parts = (0..<32).map { number in
      "--x\r\n\(line)Content-Disposition: form-data; name=\"\(number)\"\r\n\r\n"
        + String(repeating: "\r\n--", count: 80) + "\r\n"
    }
    let hostile =
      "email=" + String(repeating: "%22", count: 300)
      + "&next=" + String(repeating: "\"", count: 2_048)
      + "&consent=" + String(repeating: "&".replacing("&", with: "%26"), count: 2_048)
    return [
      costly("form, all escapes", body: escapes, type: form),
      costly("form, 32 fields of escapes", body: fields.joined(separator: "&"), type: form),
      costly("form, separators", body: String(repeating: "&", count: 16_384), type: form),
      costly("form, page with the typed values", body: hostile, type: form, ["Accept": page]),
      costly(
        "multipart, 32 parts",
        body: parts.joined() + "--x--",
        type: "multipart/form-data;boundary=x"
      ),
      costly("JSON, escapes", body: #"{"email":"\#(String(repeating: "\\n", count: 8_180))"}"#),
      costly(
        "JSON, pairs",
        body: #"{"x":"\#(String(repeating: "\\ud83d\\ude00", count: 1_360))"}"#
      ),
      costly(
        "JSON, texts",
        body: #"{"x":[\#(Array(repeating: #""""#, count: 5_400).joined(separator: ","))]}"#
      ),
      costly(
        "JSON, names",
        body: "{"
          + (0..<32).map { #""\#(String(repeating: "n", count: 126))\#($0 + 10)":1"# }.joined(
            separator: ","
          ) + "}"
      ),
      costly(
        "JSON, not ASCII",
        body: #"{"email":"\#(String(repeating: "\u{E9}", count: 8_180))"}"#
      ),
    ]
  }

  private static var heads: [Row] {
    let languages = (0..<32).map { _ in "aaaaaaaa-b-c-d-e-f-g-hhh;q=0.123" }.joined(separator: ",")
    let subtags = Array(repeating: "a", count: 4_000).joined(separator: "-")
    let ranges = (0..<32).map { _ in "text/html;" + String(repeating: ";", count: 230) }
    let parameters =
      "application/json"
      + (0..<15).map { ";a\($0)=\"" + String(repeating: "\\a", count: 250) + "\"" }.joined()
    let valid = #"{"email":"nobody"}"#
    return [
      costly("media type, parameters", body: valid, type: parameters),
      costly("Accept-Language, 32 ranges", body: valid, ["Accept-Language": languages]),
      costly("Accept-Language, subtags", body: valid, ["Accept-Language": subtags]),
      costly("Accept, parameters", body: valid, ["Accept": ranges.joined(separator: ",")]),
      costly("Accept, commas", body: valid, ["Accept": String(repeating: ",", count: 8_000)]),
      costly("Prefer", body: valid, ["Prefer": String(repeating: "a", count: 8_000)]),
      costly("Origin", body: valid, ["Origin": "https://" + String(repeating: "a", count: 8_000)]),
      costly(
        "Referer and User-Agent",
        body: #"{"email":"ana@example.com"}"#,
        [
          "Referer": "https://a/" + String(repeating: "%", count: 4_000),
          "User-Agent": String(repeating: "\u{E9}", count: 2_000),
        ]
      ),
      costly(
        "check, Accept-Language",
        path: "/email-checks",
        body: valid,
        ["Accept-Language": languages]
      ),
      costly(
        "check, form of escapes",
        path: "/email-checks",
        body: "email=" + String(repeating: "%41", count: 5_400),
        type: form
      ),
      costly("path, slashes", .get, path: String(repeating: "/", count: 4_000)),
      costly(
        "page, If-None-Match",
        .get,
        path: "/",
        ["If-None-Match": String(repeating: "\"a\",", count: 2_000)]
      ),
      costly(
        "stream, Last-Event-ID",
        .get,
        path: "/executions/x/events",
        ["Last-Event-ID": String(repeating: "-", count: 8_000)]
      ),
    ]
  }

  private static func costly(
    _ name: String,
    _ method: HTTPRequest.Method = .post,
    path: String = "/subscribers",
    body: String = "",
    type: String = "application/json",
    _ fields: [String: String] = [:]
  ) -> Row {
    let cheapest: (String, String) =
      switch path {
      case "/subscribers": (path, "{")
      case "/email-checks": (path, #"{"email":""}"#)
      default: (path == "/" ? path : "/nothing", "")
      }
    return Row(
      name: "costly: \(name)",
      aim: Aim(nanoseconds: 20_000),
      contenders: [
        Contender(.enlist, request(method, path, body, type, fields)),
        Contender(.cheapest, request(method, cheapest.0, cheapest.1)),
      ]
    )
  }
}
