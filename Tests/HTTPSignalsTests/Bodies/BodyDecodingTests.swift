import HTTPSignals
import HTTPTypes
import TestSupport
import Testing

/// Decoding a request body according to its media type.
@Suite struct BodyDecodingTests {
  private func decode(_ contentType: String?, _ body: String) throws(BodyError) -> BodyFields {
    var fields = FieldList()
    if let contentType { fields = FieldList(["content-type": contentType]) }
    let request = Request(method: .post, path: "/", fields: fields, body: Array(body.utf8))
    return try BodyFields.decode(request)
  }

  @Test(
    arguments: [
      "application/json", "Application/JSON", "application/json;charset=utf-8",
      "application/json; charset=UTF-8", "application/json ; charset=\"utf-8\"",
      "application/json;charset=utf-8;", "application/json; profile=x; charset=utf-8",
      "\tapplication/json ", "application/json;x",
    ]
  )
  func `decodes a JSON body whose media type has parameters`(contentType: String) throws {
    #expect(try decode(contentType, #"{"email":"a"}"#).value("email") == .text("a"))
  }

  @Test(
    arguments: [
      "application/x-www-form-urlencoded", "APPLICATION/X-WWW-FORM-URLENCODED",
      "application/x-www-form-urlencoded; charset=utf-8",
    ]
  )
  func `decodes a form body`(contentType: String) throws {
    #expect(try decode(contentType, "email=a").value("email") == .text("a"))
  }

  @Test(
    arguments: [
      nil, "", " ", ";", "text/plain", "application", "application/", "application/jsonx",
      "application/json+x", "application/problem+json", "text/json", "application/xml",
      "multipart/mixed; boundary=x", "application/json, text/plain",
      "application/json;charset=iso-8859-1", "application/json; charset=utf-16",
      "application/json; CHARSET=latin1", "application/json; charset=",
      "application/json; charset=utf-8; charset=ascii",
      "application/x-www-form-urlencoded;charset=windows-1252",
    ] as [String?]
  )
  func `rejects unsupported media types and charsets`(contentType: String?) {
    #expect(throws: BodyError.unsupportedMediaType) {
      try decode(contentType, #"{"email":"a"}"#)
    }
  }

  @Test func `rejects a body that does not match its media type`() {
    #expect(throws: BodyError.self) { try decode("application/json", "email=a") }
    #expect(throws: BodyError.self) { try decode("application/json", "") }
  }

  @Test(
    arguments: [
      ("application/json", "{%}", ",", "\"n\":1"),
      ("application/x-www-form-urlencoded", "%", "&", "n=1"),
    ]
  )
  func `rejects a body with more than 32 fields`(
    type: String, frame: String, separator: String, field: String
  ) throws {
    func body(_ count: Int) -> String {
      let fields = (0..<count).map { field.replacing("n", with: "n\($0)") }
      return frame.replacing("%", with: fields.joined(separator: separator))
    }
    #expect(try decode(type, body(32)).value("n31") != nil)
    #expect(throws: BodyError.malformed(.tooManyFields, [.init("count", 32)])) {
      try decode(type, body(33))
    }
  }

  @Test(
    arguments: [
      ("application/json", #"{"%":1}"#), ("application/x-www-form-urlencoded", "%=1"),
      (
        "multipart/form-data; boundary=x",
        "--x\r\nContent-Disposition: form-data; name=\"%\"\r\n\r\n1\r\n--x--"
      ),
    ]
  )
  func `rejects field names of more than 128 bytes`(type: String, body: String) throws {
    func named(_ count: Int) -> String {
      body.replacing("%", with: String(repeating: "n", count: count))
    }
    #expect(try decode(type, named(128)).value("email") == nil)
    #expect(throws: BodyError.malformed(.longFieldName, [.init("bytes", 128)])) {
      try decode(type, named(129))
    }
  }

  @Test func `rejects media types with more than 16 parameters`() throws {
    func type(_ count: Int) -> String {
      "application/json" + String(repeating: ";a=b", count: count - 1) + ";charset=utf-8"
    }
    #expect(try decode(type(16), "{}").value("a") == nil)
    let problem = BodyError.malformed(.tooManyParameters, [.init("count", 16)])
    #expect(throws: problem) { try decode(type(17), "{}") }
    #expect(throws: problem) {
      try decode("text/plain" + String(repeating: ";", count: 4000), "{}")
    }
    // A semicolon inside quotation marks does not separate parameters.
    let quoted = "application/json; a=\"\(String(repeating: ";", count: 100))\\\";\"; charset=utf-8"
    #expect(try decode(quoted, "{}").value("a") == nil)
  }
}
