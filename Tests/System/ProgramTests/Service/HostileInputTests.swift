import TestSupport
import Testing

/// Tests of hostile text over HTTP, with the program as a process.
@Suite struct HostileInputTests {
  /// The inputs with their reasons; each input contains a marker to search for in the output.
  private static let typed: [(bytes: [UInt8], reason: String)] = [
    (Array((String(repeating: "mallory", count: 9_363) + "@example.org").utf8), "tooLong"),
    (Array("mallory\u{0}@example.org".utf8), "controlCharacter"),
    (Array("mallory@example.org\r\nBcc: all@example.org".utf8), "controlCharacter"),
    (Array("mallory\u{1B}[2J@example.org".utf8), "controlCharacter"),
    (Array("mallory\u{2028}@example.org".utf8), "controlCharacter"),
    (Array("mallory".utf8) + [0xED, 0xA0, 0x80] + Array("@example.org".utf8), "invalidUnicode"),
    (Array("mallory\u{FFFD}@example.org".utf8), "invalidUnicode"),
    (Array("mallory\u{200B}@example.org".utf8), "invisibleCharacter"),
    (Array("mallory\u{202E}@example.org".utf8), "invisibleCharacter"),
    (Array("mallory@exam\u{2066}ple.org".utf8), "invisibleCharacter"),
  ]

  private func json(_ bytes: [UInt8]) -> [UInt8] {
    var text = Array(#"{"email":""#.utf8)
    for byte in bytes {
      if byte < 0x20 {
        text += Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      } else {
        text.append(byte)
      }
    }
    return text + Array(#""}"#.utf8)
  }

  private func form(_ bytes: [UInt8]) -> [UInt8] {
    Array("email=".utf8)
      + bytes.flatMap { byte -> [UInt8] in
        let digits = String(byte, radix: 16)
        return Array("%\(digits.count == 1 ? "0" : "")\(digits)".utf8)
      }
  }

  @Test(arguments: ["/subscribers", "/email-checks"])
  func `hostile input is rejected with a reason and appears in no log, header or stream`(
    path: String
  ) throws {
    let service = try RunningService(["--max-body", "1MiB", "--log-level", "trace"])
    let status = try service.stream()
    for (bytes, reason) in Self.typed {
      for (type, body) in [
        ("application/json", json(bytes)), ("application/x-www-form-urlencoded", form(bytes)),
      ] {
        let client = try service.connect()
        try client.request(
          "POST", path, fields: ["Content-Type: \(type)", "Content-Length: \(body.count)"])
        try client.send(body)
        let response = try client.readResponse(to: "POST")
        #expect(response.text.contains("\"\(reason)\""), "\(type) \(reason)")
        // A suggestion may repeat the valid part of the input, but never the hostile part.
        #expect(response.body.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(!response.text.contains("Bcc"))
        #expect(response.fields.allSatisfy { !"\($0)".contains("mallory") })
      }
    }
    // The stream has no event of the rejected inputs: this sign-up's event is the first.
    #expect(try service.signUp("ana@example.org").status == 202)
    let event = try #require(try status.readEvent())
    #expect(event.event == "started")
    #expect(!"\(event)".contains("mallory"))
    #expect(try service.exportedAddresses() == ["ana@example.org"])
    status.close()
    let log = try service.endAndReadLog()
    #expect(!log.contains("mallory"))
    #expect(log.unicodeScalars.allSatisfy { $0 == "\n" || (0x20..<0x7F).contains($0.value) })
  }
}
