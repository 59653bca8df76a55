import Logging
import SignalsTesting
import TestSupport
import Testing

@testable import enlist

/// Events that clients can cause at will, on virtual time.
@Suite final class CountedLogTests {
  private let recorder = LogRecorder()
  private let scheduler = TestScheduler()

  deinit {
    // Ends the windows, whose work keeps the log, and with it the scheduler.
    scheduler.advance(by: .seconds(120))
  }

  private var messages: [String] { recorder.lines.map(\.message) }

  @Test func `the first event is logged at once, further ones as one count per minute`() {
    let log = CountedLog(recorder.logger(), on: scheduler)
    for _ in 0..<5 { log.count("mails rejected", .info, metadata: ["error": "550"]) }
    scheduler.advance(by: .seconds(59))
    #expect(
      recorder.lines == [
        LogRecorder.Line(
          level: .info, message: "mails rejected: 1, further ones are reported once a minute",
          metadata: "error=550")
      ]
    )
    scheduler.advance(by: .seconds(1))
    #expect(
      recorder.lines.dropFirst() == [
        LogRecorder.Line(
          level: .info, message: "mails rejected: 4 in the last minute", metadata: "")
      ]
    )
    scheduler.advance(by: .seconds(600))
    #expect(recorder.lines.count == 2)
    #expect(scheduler.pendingCount == 0)
    log.count("mails rejected", .info, metadata: nil)
    #expect(messages.last == "mails rejected: 1, further ones are reported once a minute")
    #expect(recorder.lines.count == 3)
  }

  @Test func `numbers of events are added, for each subject by itself`() {
    let log = CountedLog(recorder.logger(), on: scheduler)
    for count in [3, 2, 1] { log.count("mails not sent", .info, count, metadata: nil) }
    log.count("mails held", .warning, 7, metadata: nil)
    scheduler.advance(by: .seconds(60))
    #expect(
      messages == [
        "mails not sent: 3, further ones are reported once a minute",
        "mails held: 7, further ones are reported once a minute",
        "mails not sent: 3 in the last minute",
      ]
    )
    #expect(recorder.lines.map(\.level) == [.info, .warning, .info])
  }
}
