import Foundation
import Glibc
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Tests of a service whose database files another program truncates, overwrites, removes or moves
/// while people sign up.
///
/// There are 6 rounds, or as many as `ENLIST_CHAOS_ROUNDS` says in the environment, in the order of a
/// printed seed, which `ENLIST_CHAOS_SEED` repeats.
@Suite struct ChangedFilesChaosTests {
  private enum Act: CaseIterable {
    case truncate, overwriteBeginning, overwriteAnywhere, remove, move
  }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  @Test func `what was accepted is in the file, or nothing uses the file any longer`() throws {
    let seed = Self.variable("ENLIST_CHAOS_SEED").flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
    let rounds = Self.variable("ENLIST_CHAOS_ROUNDS").flatMap { Int($0) } ?? 6
    print("ChangedFilesChaosTests: \(rounds) rounds with ENLIST_CHAOS_SEED=\(seed)")
    var generator = SeededGenerator(seed: seed)
    var cases: [(Act, String)] = []
    for round in 0..<rounds {
      if cases.isEmpty {
        for act in Act.allCases {
          for suffix in ["", "-wal", "-shm"] { cases.append((act, suffix)) }
        }
        // What is written into the middle of the index is not found, and reads as other pages.
        cases.removeAll { $0 == .overwriteAnywhere && $1 == "-shm" }
        cases.shuffle(using: &generator)
      }
      let (act, suffix) = cases.removeLast()
      let outcome = try Self.run(act, on: suffix, using: &generator)
      print("ChangedFilesChaosTests: round \(round): \(act) \(suffix): \(outcome.summary)")
      #expect(outcome.problems == [], "seed \(seed), round \(round): \(act) \(suffix)")
    }
  }

  private struct Outcome {
    var summary = ""
    var problems: [String] = []
  }

  private static func run(
    _ act: Act, on suffix: String, using generator: inout SeededGenerator
  ) throws -> Outcome {
    let service = try Enlist(["--signup-rate", "off", "--drain", "0s"])
    let accepted = Lock<[String]>([])
    let clients = DispatchGroup()
    let port = service.port
    for client in 0..<2 {
      clients.enter()
      Thread.detachNewThread {
        defer { clients.leave() }
        // The connection ends with the service.
        guard let connection = try? Client(port: port) else { return }
        for number in 0..<10_000 {
          let address = "p\(client)-\(number)@example.com"
          guard (try? connection.sendSignUp(of: address)) != nil,
            let response = try? connection.readResponse()
          else { return }
          if response.status == 202 { accepted.withLock { $0.append(address) } }
          pause(.milliseconds(4))
        }
      }
    }
    pause(.milliseconds(Int.random(in: 50...400, using: &generator)))
    try perform(act, on: service.database + suffix, using: &generator)
    pause(.milliseconds(Int.random(in: 0...300, using: &generator)))
    let end = try service.process.wait(after: SIGTERM)
    clients.wait()
    let errors = service.process.errors
    var outcome = try compare(
      end, errors, accepted: Set(accepted.withLock { $0 }), in: service,
      isIndexShort: suffix == "-shm" && act == .truncate)
    if act == .move { outcome.summary += ", moved" }
    return outcome
  }

  private static func perform(
    _ act: Act, on path: String, using generator: inout SeededGenerator
  ) throws {
    var status = stat()
    try #require(stat(path, &status) == 0)
    let size = Int(status.st_size)
    func overwrite(at offset: Int) throws {
      let count = Int.random(in: 100...40_000, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      let descriptor = open(path, O_WRONLY)
      defer { close(descriptor) }
      // The size stays as it is, where possible: nothing else shows the change.
      let length = max(min(count, size - offset), 100)
      try #require(pwrite(descriptor, bytes, length, off_t(offset)) == length)
    }
    switch act {
    case .truncate:
      try #require(truncate(path, Int.random(in: 0..<max(size, 1), using: &generator)) == 0)
    case .overwriteBeginning: try overwrite(at: 0)
    case .overwriteAnywhere:
      try overwrite(at: Int.random(in: 0..<max(size - 100, 1), using: &generator))
    case .remove: try #require(unlink(path) == 0)
    case .move: try #require(rename(path, path + ".moved") == 0)
    }
  }

  /// Compares what the clients know with what the next service finds.
  private static func compare(
    _ end: Child.End, _ errors: String, accepted: Set<String>, in service: Enlist,
    isIndexShort: Bool
  ) throws -> Outcome {
    var outcome = Outcome(summary: "\(accepted.count) accepted, \(end)")
    // Between the check and the use of a short index, the system ends the process.
    guard [.exit(0), .exit(1), .exit(65)].contains(end) || isIndexShort && end == .signal(SIGBUS)
    else {
      outcome.problems.append("ended with \(end): \(errors)")
      return outcome
    }
    if case .exit(let code) = end, code != 0,
      errors.split(separator: "\n").last?.hasPrefix("enlist: ") != true
    {
      outcome.problems.append("no line says what to do: \(errors)")
    }
    // What the operator does according to the log: put the file back, or restore the copy.
    let moved = service.database + ".moved"
    if access(moved, F_OK) == 0 { rename(moved, service.database) }
    if let copy = errors.firstMatch(of: /saved as ([^ ;]+)/)?.1 {
      let restore = try service.run("restore", String(copy))
      if restore.end != .exit(0) { outcome.problems.append("not restored: \(restore.errors)") }
    }
    let export = try service.run("export")
    guard export.end == .exit(0) else {
      outcome.summary += ", rejected"
      if export.errors.utf8.count(where: { $0 == 10 }) != 1 {
        outcome.problems.append("export: \(export.errors)")
      }
      if end == .exit(0) { outcome.problems.append("exit 0, but: \(export.errors)") }
      return outcome
    }
    let stored = export.output.split(separator: "\r\n").dropFirst().compactMap { line in
      line.split(separator: ",", omittingEmptySubsequences: false).dropFirst().first.map(
        String.init)
    }
    let lost = accepted.subtracting(stored)
    if !lost.isEmpty { outcome.problems.append("\(lost.count) lost: \(errors)") }
    let verification = try service.run("verify")
    if verification.end != .exit(0) { outcome.problems.append("\(verification.errors)") }
    return outcome
  }
}
