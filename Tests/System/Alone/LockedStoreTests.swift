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
    let client: Client
    let time: ContinuousClock.Instant
  }

  /// Sends sign-ups, each on a connection of its own.
  private func send(to service: Enlist) throws -> [Sent] {
    try (0..<Self.count).map { number in
      let client = try service.connect()
      let sent = Sent(address: "p\(number)@example.com", client: client, time: .now)
      try client.sendSignUp(of: sent.address)
      return sent
    }
  }

  private func service(_ arguments: [String]) throws -> Enlist {
    try Enlist(
      ["--signup-rate", "off", "--max-connections-per-client", "10000", "--log-level", "info"]
        + arguments)
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
      try sent.client.readResponse(within: .seconds(30)).expect(503)
      longest = max(longest, .now - sent.time)
    }
    // If each batch waited separately, the responses to the last one would come after six times the
    // timeout.
    #expect(longest < timeout * 3)
    try lock.giveBack()
    try expectStored(0, in: service)
    try service.signUp("after@example.com").expect(202)
  }

  @Test
  func `shutdown during a lock ends in time, and 503 means not stored`() throws {
    let service = try service(["--database-timeout", "60s", "--drain", "1s"])
    try service.signUp("before@example.com").expect(202)
    let lock = try StolenLock(of: service)
    let clients = try send(to: service)
    // A connection that is not accepted in time would get no response at all.
    try service.waitForExecutions(Self.count)
    service.process.send(SIGTERM)
    // The end does not wait for the lock, or for the sign-ups that do.
    for sent in clients { try sent.client.readResponse().expect(503) }
    #expect(try service.process.wait() == .exit(0))
    try lock.giveBack()
    try expectStored(1, in: service)
  }

  @Test
  func `a connection has at most 64 sign-ups in flight for which it does not wait`() throws {
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
      try client.readResponse().expect(202)
    }
    // Sent in one piece, because a connection closes after a request whose head arrives in parts.
    try client.send((64..<72).map(request).joined())
    for _ in 0..<10 { try service.waitForExecutions(65) }
    try lock.giveBack()
    for _ in 64..<72 { try client.readResponse().expect(202) }
    try service.waitForExecutions(0)
    try expectStored(72, in: service)
  }

  /// The outcome of one sign-up, as its client learned it.
  private enum Outcome {
    case stored
    case notStored
    case nothing
  }

  /// The recorded outcomes of a round.
  private final class Record: Sendable {
    private let outcomes = Lock<[String: Outcome]>([:])
    private let over = Lock(false)

    /// The outcomes by address.
    var all: [String: Outcome] { outcomes.withLock { $0 } }
    var isOver: Bool { over.withLock { $0 } }

    func set(_ value: Outcome, for address: String) {
      outcomes.withLock { $0[address] = value }
    }

    /// Waits until more sign-ups have an outcome.
    func wait(for count: Int, _ outcome: Outcome) throws {
      func counted() -> Int { outcomes.withLock { $0.values.count { $0 == outcome } } }
      let end = counted() + count
      try eventually("\(end) sign-ups that are \(outcome)") { counted() >= end }
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
        var client: Client?
        while !record.isOver {
          number += 1
          let address = "p\(worker)-\(number)@example.com"
          do {
            let current = try client ?? Client(port: port)
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

  /// Expects a number of subscribers, each with a consent.
  private func expectStored(
    _ count: Int, in service: Enlist, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let counts = try service.storedCounts()
    #expect(counts == (count, count), sourceLocation: sourceLocation)
  }

  /// Stops or kills a service.
  private func end(_ service: Enlist, using generator: inout SeededGenerator) throws {
    let signal = Bool.random(using: &generator) ? SIGTERM : SIGKILL
    let end = try service.process.wait(after: signal)
    #expect(end == (signal == SIGTERM ? .exit(0) : .signal(SIGKILL)))
  }

  /// Checks that a database contains what was acknowledged, and nothing that was rejected.
  private func compare(_ outcomes: [String: Outcome], with service: Enlist) throws {
    let file = try service.file
    let check = try file.texts("PRAGMA quick_check")
    #expect(check == ["ok"])
    let counts = try service.storedCounts()
    #expect(counts.subscribers == counts.consents)
    let stored = Set(try file.texts("SELECT address FROM subscribers"))
    let lost = outcomes.filter { $0.value == .stored && !stored.contains($0.key) }
    let unwanted = outcomes.filter { $0.value == .notStored && stored.contains($0.key) }
    #expect(lost.isEmpty, "acknowledged and lost: \(lost.count)")
    #expect(unwanted.isEmpty, "rejected and stored: \(unwanted.count)")
  }
}
