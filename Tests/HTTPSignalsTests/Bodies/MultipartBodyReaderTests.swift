import HTTPSignals
import HTTPTypes
import TestSupport
import Testing

/// Reading `multipart/form-data`, as browsers and other clients send it.
@Suite struct MultipartBodyReaderTests {
  private func decode(
    _ body: String, _ type: String = "multipart/form-data; boundary=xyz"
  ) throws(BodyError) -> BodyFields {
    try decode(Array(body.utf8), type)
  }

  private func decode(
    _ body: [UInt8], _ type: String = "multipart/form-data; boundary=xyz"
  ) throws(BodyError) -> BodyFields {
    var fields = FieldList()
    Array("Content-Type".utf8).withUnsafeBytes { name in
      Array(type.utf8).withUnsafeBytes { fields.append(name: name, value: $0) }
    }
    return try BodyFields.decode(Request(method: .post, path: "/", fields: fields, body: body))
  }

  private func part(_ name: String, _ value: String) -> String {
    "--xyz\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
  }

  @Test func `decodes multipart fields that contain line breaks and partial delimiters`() throws {
    let fields = try decode(
      part("email", "ada@example.org") + part("x", "a\r\n--xy\r\nb") + "--xyz--")
    #expect(try fields.value("email") == .text("ada@example.org"))
    #expect(try fields.value("x") == .text("a\r\n--xy\r\nb"))
    #expect(try fields.value("y") == nil)
  }

  @Test(arguments: [
    "multipart/form-data; boundary=\"xyz\"", "Multipart/Form-Data; charset=utf-8; Boundary=xyz",
    "multipart/form-data;boundary=xyz",
  ])
  func `accepts the multipart boundary with or without quotation marks`(type: String) throws {
    #expect(try decode(part("a", "b") + "--xyz--\r\n", type).value("a") == .text("b"))
  }

  @Test func `distinguishes uploaded files and ill-formed text from multipart text`() throws {
    let file =
      "--xyz\r\nContent-Disposition: form-data; name=\"email\"; filename=\"a;b\"\r\n"
      + "Content-Type: text/plain\r\n\r\nx\r\n--xyz--"
    #expect(try decode(file).value("email") == .other)
    let damaged = Array(part("email", "").utf8.dropLast(2)) + [0xFF] + Array("\r\n--xyz--".utf8)
    #expect(try decode(damaged).value("email") == .damagedText)
  }

  @Test func `unescapes quotation marks in the name of a multipart field`() throws {
    let body = "--xyz\r\ncontent-disposition:form-data;name=\"a\\\"b;c\"\r\n\r\nd\r\n--xyz--"
    #expect(try decode(body).value("a\"b;c") == .text("d"))
  }

  @Test(arguments: [
    "", "--xyz", "--xyz\r\n", "email=ada", "--xyz\r\n\r\nvalue\r\n--xyz--",
    "--xyz\r\nContent-Disposition: form-data\r\n\r\nvalue\r\n--xyz--",
    // A carriage return differs from a hyphen in one bit, as upper case from lower case does.
    "--xyz\r\nContent\rDisposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--xyz--",
    "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\nvalue\r\n--xyz--",
    "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue",
    "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--xyzz--",
    // The empty line belongs to the delimiter, so nothing ends the header fields.
    "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--xyz--",
    "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n--xyz--", "--xyz\r\n\r\n--xyz--",
    "--xyz\r\n\r\n\r\n--xyz--", "--xyz\r\n--xyz--",
  ])
  func `rejects a multipart body that is not well-formed`(body: String) {
    #expect(throws: BodyError.self) { try decode(body) }
  }

  @Test(arguments: ["multipart/form-data", "multipart/form-data; boundary="])
  func `rejects a multipart body without a boundary`(type: String) {
    #expect(throws: BodyError.self) { try decode(part("a", "b") + "--xyz--", type) }
  }

  @Test func `rejects more than 16 header fields in a part and more than 32 parts`() throws {
    func body(_ count: Int) -> String {
      "--xyz\r\n" + String(repeating: "X: y\r\n", count: count)
        + "Content-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--xyz--"
    }
    #expect(try decode(body(15)).value("a") == .text("b"))
    #expect(throws: BodyError.malformed(.tooManyPartFields)) {
      try decode(body(16))
    }
    func parts(_ count: Int) -> String {
      (0..<count).map { part("\($0)", "") }.joined() + "--xyz--"
    }
    #expect(try decode(parts(32)).value("31") == .text(""))
    #expect(throws: BodyError.malformed(.tooManyFields, [.init("count", 32)])) {
      try decode(parts(33))
    }
  }

  @Test func `the multipart reader does not crash on truncated or corrupted bodies`() {
    let whole = Array((part("email", "a\r\nb") + part("x", "") + "--xyz--\r\n").utf8)
    for length in 0..<whole.count {
      _ = try? decode(Array(whole[..<length]), "multipart/form-data; boundary=xyz")
      for byte in Array("\r\n-x:\"\0".utf8) {
        var broken = whole
        broken[length] = byte
        _ = try? decode(broken, "multipart/form-data; boundary=xyz")
        broken.remove(at: length)
        _ = try? decode(broken, "multipart/form-data; boundary=xyz")
      }
    }
  }
}
