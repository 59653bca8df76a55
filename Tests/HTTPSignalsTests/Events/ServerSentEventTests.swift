import HTTPSignals
import Testing

/// Encoding server-sent events.
@Suite struct ServerSentEventTests {
  private func block(epoch: String, name: String, text: String) -> String {
    var data = JSONText()
    data.object { $0.member("message", text) }
    let id = ServerSentEvent.ID(epoch: .init(epoch), position: 17)
    let event = ServerSentEvent(id: id, name: .init(name), data: data)
    return String(decoding: event.block, as: UTF8.self)
  }

  @Test func `encodes an event as id, name, one line of data and an empty line`() {
    #expect(
      block(epoch: "k3f9a2c1", name: "started", text: "Sending request...")
        == "id: k3f9a2c1-17\nevent: started\ndata: {\"message\":\"Sending request...\"}\n\n"
    )
  }

  @Test(
    arguments: [
      "\n", "\r", "\r\n", "\u{0}", ": ", "\ndata: x", "\n\nid: 9\n", "\u{2028}", "\u{85}", "\u{B}",
      "\u{C}",
    ]
  )
  func `no part of an event can inject a line or a field`(text: String) {
    let block = block(epoch: "a\(text)b", name: "c\(text)d", text: "e\(text)f")
    let lines = block.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    #expect(lines.count == 5)
    #expect(!block.utf8.contains(UInt8(ascii: "\r")))
    #expect(!block.utf8.contains(0))
    for (line, field) in zip(lines, ["id: ", "event: ", "data: {", "", ""]) {
      #expect(String(decoding: line, as: UTF8.self).hasPrefix(field))
    }
    #expect(!String(decoding: lines[0], as: UTF8.self).dropFirst(4).contains(" "))
    #expect(!String(decoding: lines[1], as: UTF8.self).dropFirst(7).contains(" "))
  }

  @Test(
    arguments: [
      ("k3f9a2c1", true), ("a.b_c-D", true), (String(repeating: "x", count: 64), true),
      ("", false), (String(repeating: "x", count: 65), false), ("a b", false), ("a\n", false),
      ("a\r\nb", false), ("a:b", false), ("a/b", false), ("ä", false), ("a\u{0}", false),
      ("a\u{301}", false),
    ]
  )
  func `a token has only letters, digits, dots, underscores and hyphens`(
    text: String, isToken: Bool
  ) {
    #expect(ServerSentEvent.Token.isToken(text) == isToken)
    let kept = ServerSentEvent.Token(text).description
    #expect((kept == text) == (isToken || text.isEmpty))
    #expect(kept.isEmpty || ServerSentEvent.Token.isToken(kept))
  }

  @Test func `an event with the longest token and position fits in 1 KiB`() {
    let long = ServerSentEvent.Token(String(repeating: "x", count: 200))
    var data = JSONText()
    data.object { $0.member("message", String(repeating: "m", count: 512)) }
    let event = ServerSentEvent(id: .init(epoch: long, position: .max), name: long, data: data)
    #expect(event.block.count <= 1024)
  }
}
