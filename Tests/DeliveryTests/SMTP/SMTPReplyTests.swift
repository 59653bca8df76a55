import Delivery
import Testing

@Suite struct SMTPReplyTests {
  @Test(
    arguments: [
      ("250 OK\r\n", 250, nil, true), ("250\r\n", 250, nil, true), ("354 End data", 354, nil, true),
      ("250-relay.example.com\r\n", 250, nil, false),
      ("550 5.1.1 <ada@example.org>: No such user\r\n", 550, "5.1.1", true),
      ("550-5.7.1 Blocked\r\n", 550, "5.7.1", false), ("421 4.3.2\r\n", 421, "4.3.2", true),
      ("550 4.7.1 Contradiction\r\n", 550, "4.7.1", true),
      ("452 4.222.333 Long\r\n", 452, "4.222.333", true),
      ("550 5.1.1.1 Not a status\r\n", 550, nil, true), ("550 5.1 No\r\n", 550, nil, true),
      ("550 3.1.1 No\r\n", 550, nil, true), ("550 5.1.1000 No\r\n", 550, nil, true),
      ("550 5.1.1: No\r\n", 550, nil, true),
    ] as [(String, Int, String?, Bool)]
  )
  func `reads status and enhanced status of a line`(
    _ line: String, _ status: Int, _ enhanced: String?, _ isLast: Bool
  ) throws {
    let reply = try #require(SMTPReply(line: line.utf8))
    #expect(reply == SMTPReply(status, enhanced.flatMap { EnhancedStatus($0) }, isLast: isLast))
  }

  @Test(arguments: ["", "25", "2500 OK", "abc OK", "199 OK", "600 OK", "250_OK", "+50 OK"])
  func `rejects a line that is not part of a reply`(_ line: String) {
    #expect(SMTPReply(line: line.utf8) == nil)
  }

  @Test func `takes the enhanced status of an earlier line if the last one has none`() throws {
    let first = try #require(SMTPReply(line: "550-5.1.1 No such user".utf8))
    let last = try #require(SMTPReply(line: "550 See https://relay.example.com".utf8, after: first))
    #expect(last == SMTPReply(550, EnhancedStatus("5.1.1")))
  }

  @Test func `keeps no text of the relay`() throws {
    let reply = try #require(SMTPReply(line: "550 5.1.1 <ada@example.org>: No such user".utf8))
    #expect(!"\(reply)".contains("ada"))
  }

  @Test(
    arguments: [
      ("250-SMTPUTF8\r\n", true), ("250 smtputf8\r\n", true), ("250-SMTPUTF8 x\r\n", true),
      ("250-SMTPUTF\r\n", false), ("250-SMTPUTF88\r\n", false), ("250-SIZE 1000\r\n", false),
      ("250", false),
    ]
  )
  func `recognizes an extension that the relay offers`(_ line: String, _ isOffered: Bool) {
    #expect(SMTPReply.line(line.utf8, offers: "SMTPUTF8") == isOffered)
  }
}
