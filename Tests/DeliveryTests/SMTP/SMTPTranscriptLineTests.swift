import Testing

@testable import Delivery

@Suite struct SMTPTranscriptLineTests {
  @Test(
    arguments: [
      ("AUTH PLAIN", "> AUTH PLAIN"), ("AUTH PLAIN AGFkYQBzZWNyZXQ=", "> AUTH PLAIN ***"),
      ("AGFkYQBzZWNyZXQ=", "> ***"), ("*", "> ***"), ("", "> ***"),
    ]
  )
  func `what follows AUTH is hidden`(_ line: String, _ shown: String) {
    let command = SMTPTranscriptLine.command(line, isAuthenticating: true)
    #expect(command.description == shown)
  }

  @Test func `a challenge is hidden, and other replies are not`() {
    let challenge = SMTPTranscriptLine.reply("334 VXNlcm5hbWU6", isAuthenticating: true)
    #expect(challenge.description == "< 334 ***")
    let reply = SMTPTranscriptLine.reply("535 5.7.8 No", isAuthenticating: true)
    #expect(reply.description == "< 535 5.7.8 No")
    let data = SMTPTranscriptLine.reply("354 End data", isAuthenticating: false)
    #expect(data.description == "< 354 End data")
  }
}
