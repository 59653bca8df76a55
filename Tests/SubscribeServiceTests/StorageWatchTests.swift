import Locks
import Logging
import MailingList
import Testing

@testable import SubscribeService

@Suite struct StorageWatchTests {
  @Test func `logs a failure once, its end once, and a replacement in any case`() {
    let lines = Lines()
    let watch = StorageWatch(Logger(label: "test") { _ in LineLog(lines: lines) })
    watch.succeeded()
    watch.failed(.closed)
    watch.failed(.locked)
    watch.failed(.full)
    watch.succeeded()
    watch.succeeded()
    watch.failed(.locked)
    watch.failed(.replaced)
    watch.failed(.replaced)
    watch.failed(.locked)
    // A request that was stored before may end later.
    watch.succeeded()
    let failed = "sign-ups cannot be stored: "
    #expect(
      lines.all == [
        failed + "\(StoreError.locked)", "sign-ups are stored again",
        failed + "\(StoreError.locked)", failed + "\(StoreError.replaced)",
      ]
    )
  }
}

/// What was logged.
private final class Lines: Sendable {
  private let list = Lock<[String]>([])

  var all: [String] { list.withLock { $0 } }

  func add(_ line: String) {
    list.withLock { $0.append(line) }
  }
}

/// Keeps each message with its reason.
private struct LineLog: LogHandler {
  let lines: Lines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let reason = event.metadata?["reason"].map { ": \($0)" } ?? ""
    lines.add("\(event.message)\(reason)")
  }
}
