import MailingList
import TestSupport
import Testing

@Suite struct StatusPayloadTests {
  @Test(
    arguments: [
      (.started, 0, 0), (.completed, 1, 5), (.failed, 1_800_000_000_123, 7_200_000_000_494),
      (.failed, -1, -2),
    ] as [(StatusMessage, Int64, Int64)]
  )
  func `packs a message and its time`(message: StatusMessage, milliseconds: Int64, rawValue: Int64)
  {
    let time = Timestamp(millisecondsSince1970: milliseconds)
    let payload = StatusPayload(message, at: time)
    #expect(payload.rawValue == rawValue)
    #expect(payload.message == message)
    #expect(payload.time == time)
  }

  @Test func `an execution that failed has two messages`() {
    var generator = RandomNumbers()
    let start = Timestamp(millisecondsSince1970: 1000)
    let end = Timestamp(millisecondsSince1970: 1500)
    #expect(
      StatusPayload.failure(of: ExecutionID(at: start, using: &generator), at: end)
        == [StatusPayload(.started, at: start), StatusPayload(.failed, at: end)]
    )
    #expect(StatusPayload(rawValue: 3).message == nil)
  }
}
