import Signals
import MailingList
import TestSupport
import Testing

@testable import Services

/// The log lines about a failing store, in virtual time.
@Suite struct StorageHealthTests {
  private let clock = VirtualClock()
  private let recorder = LogRecorder()
  private let health: StorageHealth

  init() {
    let clock = clock
    health = StorageHealth(
      recorder.logger(), database: "sqlite:list.sqlite", now: { clock.now.withLock { $0 } })
  }

  private var lines: [String] { recorder.lines.map { "\($0.level) \($0.message)" } }

  @Test func `logs a storage failure once, and its end once`() {
    health.succeeded()
    for _ in 0..<100 { health.failed(.full) }
    for _ in 0..<100 { health.succeeded() }
    #expect(lines == ["error sign-ups cannot be stored", "notice sign-ups are stored again"])
  }

  @Test(
    arguments: [
      (.full, "the disk is full; free space on it"),
      (.locked, "another process holds the lock; end that process or wait for it"),
    ] as [(StoreError, String)]
  )
  func `the line about a failure names the database, and says what to do`(
    error: StoreError, reason: String
  ) {
    health.failed(error)
    #expect(recorder.lines.map(\.metadata) == ["database=sqlite:list.sqlite reason=\(reason)"])
  }

  @Test func `closing the store is not a failure`() {
    health.failed(.closed)
    #expect(lines == [])
  }

  @Test func `logs a store that fails repeatedly at most once a minute`() {
    for second in 0..<600 {
      clock.now.withLock { $0 = .seconds(second) }
      for _ in 0..<10 {
        health.failed(.locked)
        health.succeeded()
      }
    }
    #expect(lines.count == 20)
  }

  @Test func `logs a lasting storage failure within a minute of the previous one`() {
    health.failed(.locked)
    health.succeeded()
    for second in 1...61 {
      clock.now.withLock { $0 = .seconds(second) }
      health.failed(.full)
    }
    health.succeeded()
    #expect(
      lines == [
        "error sign-ups cannot be stored", "notice sign-ups are stored again",
        "error sign-ups cannot be stored", "notice sign-ups are stored again",
      ]
    )
  }

  @Test func `logs a replaced database immediately and once`() {
    health.failed(.locked)
    health.failed(.replaced)
    health.failed(.replaced)
    health.failed(.locked)
    // A sign-up that was stored earlier may end later.
    health.succeeded()
    #expect(lines == ["error sign-ups cannot be stored", "error sign-ups cannot be stored"])
  }
}

private final class VirtualClock: Sendable {
  let now = Lock<Duration>(.zero)
}
