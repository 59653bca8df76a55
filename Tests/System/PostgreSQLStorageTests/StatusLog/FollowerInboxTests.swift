import MailingList
import Testing

@testable import PostgreSQLStorage

@Suite struct FollowerInboxTests {
  @Test func `keeps a bounded number of messages, those that were not sent first`() {
    let inbox = FollowerInbox()
    let pair = [StatusPayload(rawValue: 0), StatusPayload(rawValue: 2)]
    for _ in 0..<5000 { inbox.add(pair) }
    #expect(inbox.take().messages.count == FollowerInbox.maximumMessages)
    let taken = inbox.takeMessages()
    #expect(taken.count == FollowerInbox.maximumMessages)
    #expect(inbox.take().messages.isEmpty)
    inbox.add([StatusPayload(rawValue: 4)])
    inbox.putBack(Array(taken.prefix(2)))
    #expect(inbox.takeMessages().map(\.rawValue) == [0, 2, 4])
  }
}
