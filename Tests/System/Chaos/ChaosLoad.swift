import Dispatch
import Foundation
import Signals
import TestSupport

/// Clients that sign people up one after another, and what they learn.
///
/// Each address is sent once. A response may be missing only if the service is about to be killed.
final class ChaosLoad: Sendable {
  /// What a client knows of an address that it has sent.
  enum Answer {
    /// There was no response.
    case nothing
    /// The response was 202.
    case accepted
    /// The response was a problem.
    case rejected
  }

  /// A process of the service.
  private struct Target {
    var port: UInt16
    var number: Int
  }

  private struct State {
    var target: Target?
    var isKillExpected = false
    var isOver = false
    /// By client, and then by the number of the sign-up.
    var answers: [[Answer]]
    var acceptedCount = 0
    /// What the metrics of the current process must at least say.
    var counts: [String: Int] = [:]
    var surprises: [String] = []
  }

  static let clientCount = 4
  /// The time between two sign-ups of a client, which leaves time for other tests.
  private static let interval: Duration = .milliseconds(4)
  /// Each sign-up with such a number has an invalid address.
  private static let invalidInterval = 16

  private let state = Lock(State(answers: Array(repeating: [], count: clientCount)))
  private let clients = DispatchGroup()

  /// Starts the clients, which wait for ``move(to:)``.
  init() {
    for client in 0..<Self.clientCount {
      clients.enter()
      Thread.detachNewThread {
        self.run(client)
        self.clients.leave()
      }
    }
  }

  // MARK: Control

  /// Directs the clients to a new process.
  func move(to port: UInt16) {
    state.withLock { state in
      state.target = Target(port: port, number: (state.target?.number ?? 0) + 1)
      state.isKillExpected = false
      state.counts = [:]
    }
  }

  /// From now on, until ``move(to:)``, responses may be missing.
  func expectKill() {
    state.withLock { $0.isKillExpected = true }
  }

  /// Waits until more sign-ups have been accepted.
  func waitForAccepted(_ count: Int) throws {
    let end = acceptedCount + count
    try eventually("\(end) accepted sign-ups", within: .seconds(120)) { acceptedCount >= end }
  }

  /// Stops the clients, and waits for their last responses.
  func end() {
    state.withLock { $0.isOver = true }
    clients.wait()
  }

  // MARK: Results

  /// The number of sign-ups that were accepted.
  var acceptedCount: Int { state.withLock { $0.acceptedCount } }
  /// What the metrics of the current process must at least say, by the name of the series.
  var counts: [String: Int] { state.withLock { $0.counts } }
  /// Everything that must not happen.
  var surprises: [String] { state.withLock { $0.surprises } }

  /// Returns the addresses of which the clients know the same.
  func addresses(_ answer: Answer) -> Set<String> {
    var addresses: Set<String> = []
    for (client, answers) in state.withLock({ $0.answers }).enumerated() {
      for (number, known) in answers.enumerated() where known == answer {
        addresses.insert(Self.address(client, number))
      }
    }
    return addresses
  }

  /// Counts something that the metrics of the current process must say.
  func count(_ series: String) {
    state.withLock { $0.counts[series, default: 0] += 1 }
  }

  // MARK: Clients

  private static func address(_ client: Int, _ number: Int) -> String {
    number % invalidInterval == invalidInterval - 1
      ? "invalid\(client)-\(number)" : "p\(client)-\(number)@example.com"
  }

  private func run(_ client: Int) {
    while let target = nextTarget() {
      do {
        let connection = try Client(port: target.port)
        while try signUp(client, on: connection, to: target) {
          pause(Self.interval)
        }
      } catch {
        state.withLock { state in
          guard state.target?.number == target.number, !state.isKillExpected else { return }
          state.surprises.append("a client lost its connection: \(error)")
        }
      }
    }
  }

  /// Waits for a process that is not about to be killed, whose port may be that of another test
  /// soon; `nil` at the end.
  private func nextTarget() -> Target? {
    while true {
      let (target, isOver) = state.withLock { state in
        (state.isKillExpected ? nil : state.target, state.isOver)
      }
      if isOver { return nil }
      if let target { return target }
      pause(.milliseconds(5))
    }
  }

  /// Signs up the next address of a client, and returns whether the connection can be used again.
  private func signUp(
    _ client: Int, on connection: Client, to target: Target
  ) throws -> Bool {
    let number: Int? = state.withLock { state in
      if state.isOver { return nil }
      state.answers[client].append(.nothing)
      return state.answers[client].count - 1
    }
    guard let number else { return false }
    try connection.sendSignUp(of: Self.address(client, number))
    let response = try connection.readResponse(within: .seconds(60))
    let problem = response.text.firstMatch(of: /\/problems\/([a-z-]+)/).map { String($0.1) }
    state.withLock { state in
      func count(_ series: String) {
        guard state.target?.number == target.number else { return }
        state.counts[series, default: 0] += 1
      }
      switch (response.status, problem) {
      case (202, _):
        state.answers[client][number] = .accepted
        state.acceptedCount += 1
        count(#"enlist_executions_total{outcome="completed"}"#)
      case (422, let problem?), (503, let problem?):
        state.answers[client][number] = .rejected
        count(#"enlist_problems_total{problem="\#(problem)"}"#)
        if problem == "storage-unavailable" {
          count(#"enlist_executions_total{outcome="failed"}"#)
          count("enlist_store_errors_total")
        }
      default:
        state.surprises.append("a sign-up got \(response.status) \(problem ?? "")")
      }
    }
    return response["Connection"]?.lowercased() != "close"
  }
}
