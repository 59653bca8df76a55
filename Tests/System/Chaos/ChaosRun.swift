import Foundation
import Glibc
import Signals
import SignalsTesting
import TestSupport
import Testing

/// A service that is harmed in random order while clients sign people up.
final class ChaosRun {
  /// What happens to the service.
  enum Fault: CaseIterable {
    case kill, killWithLockedDatabase, killWithFullDisk
    case hangUp, lockedDatabase, fullDisk, slowClients, clockJump, logWithoutReader
  }

  /// What is known after the service has ended.
  struct Result: Sendable {
    let seed: UInt64
    let accepted: Set<String>
    let unanswered: Set<String>
    let stored: [String]
    let consentCount: Int
    /// The result of SQLite's check of the whole file.
    let integrity: [String]
    /// The difference between the latest and the earliest sign-up by the clock of the service.
    let clockRange: Duration
    let faultCounts: [Fault: Int]
    let scrapes: ScrapeRecord
    /// Everything that must not happen.
    let surprises: [String]

    /// How often the service was killed.
    var killCount: Int {
      [.kill, .killWithLockedDatabase, .killWithFullDisk].reduce(0) {
        $0 + faultCounts[$1, default: 0]
      }
    }
  }

  /// How long the service is harmed; the last round may take longer.
  static let seconds = variable("ENLIST_CHAOS_SECONDS").flatMap { Int($0) } ?? 20

  private static let flags = [
    "--signup-rate", "off", "--stream-rate", "off", "--request-timeout", "120s",
    "--database-timeout", "200ms", "--drain", "0s", "--log-level", "debug",
    "--metrics-access", "open",
  ]

  private let log: StoppableLog
  private let clock: FakeClock?
  private let load: ChaosLoad
  private let service: Enlist
  private var generator: SeededGenerator
  private var scrapes: ScrapeRecord
  private var faultCounts: [Fault: Int] = [:]
  private var slowClients: [Client] = []
  private var surprises: [String] = []

  private init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    scrapes = ScrapeRecord(for: try OperatingFiles.read("enlist.rules.yml"))
    clock = FakeClock.isAvailable ? try FakeClock() : nil
    log = try StoppableLog()
    let folder = try Folder()
    service = try Enlist(
      Self.flags + ["--operator-listen", "unix:\(folder("operator.sock"))"], in: folder,
      through: clock?.launcher ?? [], errors: log.writeEnd)
    Thread.detachNewThread { [log] in log.run() }
    load = ChaosLoad()
    load.move(to: service.port)
  }

  deinit {
    load.end()
    log.end()
  }

  /// Harms a service for a time, in an order that a printed seed determines.
  static func result() throws -> Result {
    let seed = variable("ENLIST_CHAOS_SEED").flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
    print("ChaosTests: \(seconds) s with ENLIST_CHAOS_SEED=\(seed)")
    let run = try ChaosRun(seed: seed)
    do {
      try run.harm(until: .now + .seconds(seconds))
      return try run.end(seed)
    } catch {
      print("ChaosTests: \(error); the end of the log:\n\(run.log.text)")
      throw error
    }
  }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  // MARK: Service

  private func kill() throws {
    try scrape()
    load.expectKill()
    let end = try service.process.wait(after: SIGKILL)
    expect(end == .signal(SIGKILL), "the service ended with \(end) before it was killed")
  }

  private func restart() throws {
    try service.restart()
    load.move(to: service.port)
  }

  private func end(_ seed: UInt64) throws -> Result {
    load.end()
    // Alerts that wait for some minutes may be due only now.
    for _ in 0..<8 { try scrape() }
    log.resume()
    // Waits of the kernel know nothing of the clock.
    try clock?.set(secondsAhead: 0)
    let end = try service.process.wait(after: SIGTERM)
    expect(end == .exit(0), "the service ended with \(end) after SIGTERM")
    let file = try service.file
    let times = try file.numbers("SELECT max(created_at) - min(created_at) FROM subscribers")
    return Result(
      seed: seed, accepted: load.addresses(.accepted), unanswered: load.addresses(.nothing),
      stored: try file.texts("SELECT address FROM subscribers"),
      consentCount: try service.storedCounts().consents,
      integrity: try file.texts("PRAGMA integrity_check"),
      clockRange: .milliseconds(times.first ?? 0), faultCounts: faultCounts, scrapes: scrapes,
      surprises: surprises + load.surprises)
  }

  private func expect(_ isTrue: Bool, _ surprise: String) {
    if !isTrue { surprises.append(surprise) }
  }

  // MARK: Metrics

  /// Reads the metrics, which must be possible whatever happens to the database.
  private func metrics() throws -> [String: Double] {
    let client = try Client(path: service.folder("operator.sock"))
    try client.request("GET", "/metrics")
    let response = try client.readResponse(within: .seconds(60))
    try #require(response.status == 200)
    return ScrapeRecord.values(in: response.text)
  }

  /// Records the metrics, which must say at least what clients know.
  private func scrape() throws {
    let counts = load.counts
    let end = ContinuousClock.now + .seconds(10)
    var values = try metrics()
    // Some things are counted just after the response.
    while !Self.missing(counts, in: values).isEmpty, end > .now { values = try metrics() }
    scrapes.append(values)
    surprises += Self.missing(counts, in: values)
  }

  /// Describes the counts that metrics do not reach; a name without labels is that of a sum.
  private static func missing(_ counts: [String: Int], in values: [String: Double]) -> [String] {
    counts.compactMap { series, count in
      let parts = values.filter { $0.key == series || $0.key.hasPrefix("\(series){") }
      let value = parts.values.reduce(0, +)
      return value < Double(count) ? "\(series) is \(value) instead of at least \(count)" : nil
    }
  }

  /// Waits until a counter grows.
  private func waitForGrowth(of series: String, while act: () throws -> Void = {}) throws {
    let before = try metrics()[series] ?? 0
    try eventually("growth of \(series)", within: .seconds(120)) {
      try act()
      return try metrics()[series] ?? 0 > before
    }
  }

  private func waitForErrors(_ error: String) throws {
    try waitForGrowth(of: #"enlist_store_errors_total{error="\#(error)"}"#)
  }

  // MARK: Faults

  private func harm(until end: ContinuousClock.Instant) throws {
    repeat {
      for fault in Fault.allCases.shuffled(using: &generator) {
        try load.waitForAccepted(Int.random(in: 1...100, using: &generator))
        try scrape()
        try perform(fault)
        faultCounts[fault, default: 0] += 1
      }
      log.resume()
    } while end > .now
    try load.waitForAccepted(1)
  }

  private func perform(_ fault: Fault) throws {
    switch fault {
    case .kill:
      try kill()
      for _ in 0..<4 {
        expect((try? metrics()) == nil, "a killed service responds")
        scrapes.append(nil)
      }
      try restart()
    case .killWithLockedDatabase:
      let lock = try StolenLock(of: service)
      try waitForErrors("locked")
      try kill()
      try lock.giveBack()
      try restart()
    case .killWithFullDisk:
      try service.limitFiles(to: "4096")
      try waitForErrors("full")
      try kill()
      try restart()
    case .hangUp:
      for _ in 0..<3 { service.process.send(SIGHUP) }
    case .lockedDatabase:
      let lock = try StolenLock(of: service)
      // Long enough for an alert about a store that stays slow.
      for _ in 0..<4 {
        try waitForErrors("locked")
        try scrape()
      }
      try lock.giveBack()
    case .fullDisk:
      try service.limitFiles(to: "4096")
      for _ in 0..<2 {
        try waitForErrors("full")
        try scrape()
      }
      try service.limitFiles(to: "unlimited")
    case .slowClients:
      slowClients = try (0..<40).map { try slowClient($0) }
    case .clockJump:
      let days = Int64.random(in: 1...30, using: &generator)
      try clock?.set(secondsAhead: Bool.random(using: &generator) ? days * 86_400 : days * -86_400)
    case .logWithoutReader:
      log.stop()
      try waitForGrowth(of: "enlist_log_lines_dropped_total") {
        for _ in 0..<200 { try sendMalformed() }
      }
      try scrape()
    }
  }

  /// A client that sends the beginning of a request, or does not read its stream.
  private func slowClient(_ number: Int) throws -> Client {
    if number.isMultiple(of: 4) {
      let client = try Client(port: service.port, receiveBufferBytes: 4096)
      try client.request("GET", "/status")
      return client
    }
    let client = try service.connect()
    let head = "POST /subscribers HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
    try client.send(number.isMultiple(of: 2) ? head : head + "\r\n{\"email\":")
    return client
  }

  /// Sends a request that libmicrohttpd rejects, with a line in the log.
  private func sendMalformed() throws {
    let client = try service.connect()
    try client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: +1\r\n\r\n")
    let status = try client.readHead(within: .seconds(60)).status
    expect(status == 400, "a malformed request got \(status)")
    load.count(#"enlist_rejections_total{kind="malformed-request"}"#)
  }
}

/// A pipe for the log of each process, and its reader, which can stop.
private final class StoppableLog: Sendable {
  private enum State {
    case reading, stopped, ended
  }

  /// Open while there is a reader: the end of a process is not the end of the log.
  let writeEnd: Int32
  private let readEnd: Int32
  private let state = Lock(State.reading)
  private let tail = Lock<[UInt8]>([])

  init() throws { (readEnd, writeEnd) = try Pipe.make() }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// The last 4 KiB or so of what has been read.
  var text: String { String(decoding: tail.withLock { $0 }, as: UTF8.self) }

  /// Reads until ``end()``.
  func run() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      switch state.withLock({ $0 }) {
      case .ended: return
      case .stopped: pause(.milliseconds(20))
      case .reading:
        guard (try? wait(of: readEnd, within: .milliseconds(100))) != nil else { continue }
        let count = read(readEnd, &buffer, buffer.count)
        let part = buffer.prefix(max(count, 0))
        tail.withLock { $0 = Array(($0 + part).suffix(4096)) }
      }
    }
  }

  func stop() { state.withLock { $0 = .stopped } }

  func resume() { state.withLock { $0 = .reading } }

  /// Stops reading permanently.
  func end() { state.withLock { $0 = .ended } }
}
