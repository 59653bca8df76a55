import HTTPSignals
import HTTPTypes
import Testing

@Suite struct BodyDecoderTests {
  private func decode(_ contentType: String?, _ body: String) throws(BodyError) -> BodyFields {
    var fields = NameValuePairs()
    if let contentType { fields = NameValuePairs(["content-type": contentType]) }
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
  func `reads JSON`(contentType: String) throws {
    #expect(try decode(contentType, #"{"email":"a"}"#).value("email") == .text("a"))
  }

  @Test(
    arguments: [
      "application/x-www-form-urlencoded", "APPLICATION/X-WWW-FORM-URLENCODED",
      "application/x-www-form-urlencoded; charset=utf-8",
    ]
  )
  func `reads forms`(contentType: String) throws {
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
  func `refuses other media types and encodings`(contentType: String?) {
    #expect(throws: BodyError.unsupportedMediaType) {
      try decode(contentType, #"{"email":"a"}"#)
    }
  }

  @Test func `refuses a body that is not what its type says`() {
    #expect(throws: BodyError.self) { try decode("application/json", "email=a") }
    #expect(throws: BodyError.self) { try decode("application/json", "") }
  }
}
