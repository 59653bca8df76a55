import Dispatch
import Foundation
import Glibc
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Tests of many sign-ups that wait while another process holds the database lock.
@Suite struct LockedStoreTests {
  private static let count = 1500
  private static let workerCount = 8

  /// A sign-up whose response has not been read.
  private struct Sent {
    let address: String
    let client: SocketClient
    let time: ContinuousClock.Instant
  }

  /// Sends sign-ups, each on a connection of its own.
  private func send(to service: RunningService) throws -> [Sent] {
    try (0..<Self.count).map { number in
      let client = try service.connect()
      let sent = Sent(address: "p\(number)@example.com", client: client, time: .now)
      try client.sendSignUp(of: sent.address)
      return sent
    }
  }

  private func service(_ arguments: [String]) throws -> RunningService {
    try RunningService(
      ["--signup-rate", "off", "--max-connections-per-client", "10000"] + arguments)
  }

  @Test
  func `many sign-ups wait for the lock no longer than a single one`() throws {
    let service = try service(["--database-timeout", "4s"])
    let lock = try StolenLock(of: service)
    let begin = ContinuousClock.now
    let sent = try send(to: service)
    // The first response may wait to be read until the last request has been sent.
    let timeout = max(.seconds(4), .now - begin)
    var longest = Duration.zero
    for sent in sent {
      #expect(try sent.client.readResponse(by: Deadline(after: .seconds(30))).status == 503)
      longest = max(longest, .now - sent.time)
    }
    // One second, and two for a busy machine. If each batch waited separately, the responses to the
    // second one would come after eight seconds, and to the last one after 24.
    #expect(longest < timeout + .seconds(3))
    try lock.giveBack()
    #expect(try service.storedCounts() == (0, 0))
    #expect(try service.signUp("after@example.com").status == 202)
  }

  @Test
  func `shutdown during a lock ends in time, and 503 means not stored`() throws {
    let service = try service(["--database-timeout", "30s", "--drain", "1s"])
    #expect(try service.signUp("before@example.com").status == 202)
    let lock = try StolenLock(of: service)
    let clients = try send(to: service)
    // A connection that is not accepted in time would get no response at all.
    try service.waitForExecutions(Self.count)
    let begin = ContinuousClock.now
    service.process.send(signal: SIGTERM)
    for sent in clients {
      #expect(try sent.client.readResponse(by: Deadline(after: .seconds(20))).status == 503)
    }
    #expect(try service.process.wait() == .exit(0))
    // The drain time, three seconds, and one second for a busy machine.
    #expect(ContinuousClock.now - begin < .seconds(5))
    try lock.giveBack()
    #expect(try service.storedCounts() == (1, 1))
  }

  @Test
  func `a connection has at most 64 sign-ups in flight`() throws {
    let service = try service(["--database-timeout", "60s"])
    let lock = try StolenLock(of: service)
    let client = try service.connect()
    func request(_ number: Int) -> String {
      let body = #"{"email":"p\#(number)@example.com"}"#
      return """
        POST /subscribers HTTP/1.1\r
        Host: a\r
        Content-Type: application/json\r
        Prefer: respond-async\r
        Content-Length: \(body.utf8.count)\r
        \r
        \(body)
        """
    }
    for number in 0..<64 {
      try client.send(request(number))
      #expect(try client.readResponse().status == 202)
    }
    // Sent in one piece, because a connection closes after a request whose head arrives in parts.
    try client.send((64..<72).map(request).joined())
    for _ in 0..<10 { try service.waitForExecutions(64) }
    try lock.giveBack()
    for _ in 64..<72 { #expect(try client.readResponse().status == 202) }
    try service.waitForExecutions(0)
    #expect(try service.storedCounts() == (72, 72))
  }

  /// The outcome of one sign-up, as its client learned it.
  private enum Outcome {
    case stored
    case notStored
    case nothing
  }

  /// The recorded outcomes of a round, keyed by address.
  private final class Record: Sendable {
    private struct State {
      var outcomes: [String: Outcome] = [:]
      /// The outcome that the test waits for, and how many more of it.
      var awaited: (outcome: Outcome, count: Int)?
    }

    private let state = Lock(State())
    private let reached = DispatchSemaphore(value: 0)
    private let over = Lock(false)

    var all: [String: Outcome] { state.withLock { $0.outcomes } }
    var isOver: Bool { over.withLock { $0 } }

    func set(_ value: Outcome, for address: String) {
      let isReached = state.withLock { state in
        state.outcomes[address] = value
        guard let awaited = state.awaited, awaited.outcome == value else { return false }
        state.awaited = awaited.count > 1 ? (value, awaited.count - 1) : nil
        return awaited.count <= 1
      }
      if isReached { reached.signal() }
    }

    /// Waits until more sign-ups have an outcome.
    ///
    /// - Parameters:
    ///   - count: The number of further sign-ups, 1 or more.
    ///   - outcome: Their outcome.
    /// - Throws: `TestSystemError.timeout`.
    func wait(for count: Int, _ outcome: Outcome) throws(TestSystemError) {
      state.withLock { $0.awaited = (outcome, count) }
      guard reached.wait(timeout: .now() + 30) == .success else { throw .timeout }
    }

    func finish() {
      over.withLock { $0 = true }
    }
  }

  /// The seeds of ten runs; each is part of its test case's name, with which a failure is reported.
  private static let seeds = (0..<10).map { _ in UInt64.random(in: 0...UInt64.max) }

  @Test(arguments: seeds)
  func `sign-ups with 202 are stored and those with 503 are not, despite locks and kills`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let service = try service(["--database-timeout", "150ms", "--drain", "200ms"])
    let record = Record()
    let port = service.port
    let workers = DispatchGroup()
    for worker in 0..<Self.workerCount {
      let thread = Thread {
        defer { workers.leave() }
        var number = 0
        var client: SocketClient?
        while !record.isOver {
          number += 1
          let address = "p\(worker)-\(number)@example.com"
          do {
            let current = try client ?? SocketClient(port: port)
            client = current
            record.set(.nothing, for: address)
            try current.sendSignUp(of: address)
            let response = try current.readResponse()
            switch response.status {
            case 202: record.set(.stored, for: address)
            case 503: record.set(.notStored, for: address)
            default: Issue.record("status \(response.status)")
            }
            if response["Connection"]?.lowercased() == "close" { client = nil }
          } catch {
            client = nil
          }
        }
      }
      workers.enter()
      thread.start()
    }
    // Short and long locks are followed by a shutdown or a kill, sometimes during a lock.
    for _ in 0..<3 {
      try record.wait(for: Int.random(in: 1...100, using: &generator), .stored)
      let lock = try StolenLock(of: service)
      if Bool.random(using: &generator) {
        // Every worker waits, and has not waited for long.
        try service.waitForExecutions(Self.workerCount)
      } else {
        // Sign-ups have waited for the maximum time.
        try record.wait(for: Int.random(in: 1...20, using: &generator), .notStored)
      }
      try lock.giveBack()
    }
    let last = Int.random(in: 0..<3, using: &generator) == 0 ? try StolenLock(of: service) : nil
    if last == nil {
      try record.wait(for: Int.random(in: 1...150, using: &generator), .stored)
    } else {
      try service.waitForExecutions(Self.workerCount)
    }
    try end(service, using: &generator)
    record.finish()
    workers.wait()
    try last?.giveBack()
    let all = record.all
    try compare(all, with: service)
    #expect(all.values.contains(.stored))
  }

  @Test(arguments: seeds)
  func `1,500 sign-ups that wait are stored with 202 and not with 503, despite locks and kills`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let service = try service(["--database-timeout", "4s", "--drain", "200ms"])
    let lock = try StolenLock(of: service)
    let sent = try send(to: service)
    // The lock ends after the process, or a number of responses before it.
    let isReleased = Int.random(in: 0..<4, using: &generator) > 0
    let count = isReleased ? Int.random(in: 0..<Self.count, using: &generator) : 0
    if isReleased { try lock.giveBack() }
    var outcomes: [String: Outcome] = [:]
    func read(_ sent: some Sequence<Sent>) {
      for sent in sent {
        switch try? sent.client.readResponse().status {
        case 202: outcomes[sent.address] = .stored
        case 503: outcomes[sent.address] = .notStored
        case nil: outcomes[sent.address] = .nothing
        case let status?: Issue.record("status \(status)")
        }
      }
    }
    read(sent.prefix(count))
    try end(service, using: &generator)
    read(sent.dropFirst(count))
    if !isReleased { try lock.giveBack() }
    try compare(outcomes, with: service)
  }

  /// Stops or kills a service.
  private func end(_ service: RunningService, using generator: inout SeededGenerator) throws {
    let signal = Bool.random(using: &generator) ? SIGTERM : SIGKILL
    let begin = ContinuousClock.now
    service.process.send(signal: signal)
    let end = try service.process.wait()
    #expect(end == (signal == SIGTERM ? .exit(0) : .signal(SIGKILL)))
    #expect(ContinuousClock.now - begin < .milliseconds(4200))
  }

  /// Checks that a database contains what was acknowledged, and nothing that was rejected.
  private func compare(_ outcomes: [String: Outcome], with service: RunningService) throws {
    let file = try service.file
    #expect(try file.texts("PRAGMA quick_check") == ["ok"])
    let counts = try service.storedCounts()
    #expect(counts.subscribers == counts.consents)
    let stored = Set(try file.texts("SELECT address FROM subscribers"))
    let lost = outcomes.filter { $0.value == .stored && !stored.contains($0.key) }
    let unwanted = outcomes.filter { $0.value == .notStored && stored.contains($0.key) }
    #expect(lost.isEmpty, "acknowledged and lost: \(lost.count)")
    #expect(unwanted.isEmpty, "rejected and stored: \(unwanted.count)")
  }
}
