import Locks
import Logging
import MailingList
import Testing

@testable import SubscribeService

/// What the log says of a store that fails, in virtual time.
@Suite struct StorageHealthTests {
  private let clock = VirtualClock()
  private let lines = LoggedLines()
  private let health: StorageHealth

  init() {
    let (clock, lines) = (clock, lines)
    health = StorageHealth(
      Logger(label: "test") { _ in RecordingLog(lines: lines) },
      now: { clock.now.withLock { $0 } }
    )
  }

  @Test func `a failure is logged once, and its end`() {
    health.succeeded()
    for _ in 0..<100 { health.failed(.full) }
    for _ in 0..<100 { health.succeeded() }
    #expect(lines.all == ["error sign-ups cannot be stored", "notice sign-ups are stored again"])
  }

  @Test func `the end of the service is no failure`() {
    health.failed(.closed)
    #expect(lines.all == [])
  }

  @Test func `a store that fails now and then is logged once a minute`() {
    for second in 0..<600 {
      clock.now.withLock { $0 = .seconds(second) }
      for _ in 0..<10 {
        health.failed(.locked)
        health.succeeded()
      }
    }
    #expect(lines.all.count == 20)
  }

  @Test func `a failure that lasts is logged within a minute of the one before`() {
    health.failed(.locked)
    health.succeeded()
    for second in 1...61 {
      clock.now.withLock { $0 = .seconds(second) }
      health.failed(.full)
    }
    health.succeeded()
    #expect(
      lines.all == [
        "error sign-ups cannot be stored", "notice sign-ups are stored again",
        "error sign-ups cannot be stored", "notice sign-ups are stored again",
      ]
    )
  }

  @Test func `a replaced database is logged at once, and for good`() {
    health.failed(.locked)
    health.failed(.replaced)
    health.failed(.replaced)
    health.failed(.locked)
    // A sign-up that was stored before may end later.
    health.succeeded()
    #expect(
      lines.all == ["error sign-ups cannot be stored", "error sign-ups cannot be stored"]
    )
  }
}

private final class VirtualClock: Sendable {
  let now = Lock<Duration>(.zero)
}

/// The lines that were logged.
private final class LoggedLines: Sendable {
  private let recorded = Lock<[String]>([])

  var all: [String] { recorded.withLock { $0 } }

  func add(_ line: String) {
    recorded.withLock { $0.append(line) }
  }
}

private struct RecordingLog: LogHandler {
  let lines: LoggedLines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.add("\(event.level) \(event.message)")
  }
}
