import Dispatch
import Foundation
import Glibc
import Signals
import TestSupport
import Testing

/// Tests of the routes of an execution and of the command.
@Suite struct ExecutionTests {
  @Test func `a client that knows the id of an execution can follow it to its end`() throws {
    let service = try Enlist(["--database-timeout", "60s"])
    let lock = try StolenLock(of: service)
    let all = try service.stream()
    let client = try service.connect()
    try client.sendSignUp(of: "ana@example.com", fields: ["Prefer: respond-async"])
    let accepted = try client.readResponse().expect(202)
    #expect(accepted["Preference-Applied"] == "respond-async")
    #expect(accepted.text.contains(#""state":"executing""#), "\(accepted)")
    #expect(try all.readEvent()?.event == "started")
    let id = accepted.execution

    let events = try service.stream("/executions/\(id)/events")
    let started = try #require(try events.readEvent())
    #expect(started.event == "started")
    #expect(started.data?.hasSuffix(#""execution":"\#(id)","seq":1}"#) == true)
    let snapshot = try service.get("/executions/\(id)").expect(200)
    #expect(snapshot["Cache-Control"] == "no-store")
    #expect(snapshot.text == accepted.text)
    let command = try service.get("/commands/subscribe")
    let state = #"{"enabled":true,"executing":1,"allowsConcurrentExecution":false}"#
    #expect(command.text == state)

    try lock.giveBack()
    let completed = try #require(try events.readEvent())
    #expect(completed.event == "completed")
    #expect(completed.data?.hasSuffix(#""execution":"\#(id)","seq":2}"#) == true)
    #expect(try events.readEvent() == nil)
    #expect(try all.readEvent()?.event == "completed")
    let last = try service.get("/executions/\(id)")
    #expect(last.text.contains(#""state":"completed""#), "\(last)")
    let idle = try service.get("/commands/subscribe")
    #expect(idle.text == state.replacing("1", with: "0"))
  }

  @Test
  func `with two event loops, an execution is completed as soon as its 202 has arrived`() throws {
    let count = 64
    let service = try Enlist([
      "--threads", "2", "--database-timeout", "60s", "--max-connections-per-client", "1000",
    ])
    let lock = try StolenLock(of: service)
    let port = service.port
    let snapshots = Lock<[String]>([])
    let clients = DispatchGroup()
    for number in 0..<count {
      clients.enter()
      Thread.detachNewThread {
        defer { clients.leave() }
        let snapshot = Self.snapshot(afterSigningUp: "p\(number)@example.com", port: port)
        snapshots.withLock { $0.append(snapshot) }
      }
    }
    // All sign-ups wait, on connections of both event loops, and end in one transaction.
    do {
      try service.waitForExecutions(count)
    } catch {
      // A client that failed meanwhile is the likely reason.
      Issue.record("\(error); ended early: \(snapshots.withLock { $0 })")
    }
    try lock.giveBack()
    clients.wait()
    #expect(snapshots.withLock { $0 } == Array(repeating: "completed", count: count))
  }

  /// Signs an address up, requests the execution as soon as the response has arrived, and returns
  /// the state in the snapshot, or the reason there is none.
  private static func snapshot(afterSigningUp address: String, port: UInt16) -> String {
    do {
      let client = try Client(port: port)
      // A second connection, which the other event loop may serve.
      let reader = try Client(port: port)
      try client.sendSignUp(of: address)
      let accepted = try client.readResponse(within: .seconds(120))
      guard accepted.status == 202 else { return "status \(accepted.status)" }
      try reader.request("GET", "/executions/\(accepted.execution)")
      let snapshot = try reader.readResponse()
      let state = snapshot.text.split(separator: #""state":""#).dropFirst().first
      return state.map { String($0.prefix { $0 != "\"" }) } ?? snapshot.text
    } catch {
      return "\(error)"
    }
  }

  @Test func `a client resumes an execution's stream after any of its messages`() throws {
    let service = try Enlist()
    let id = try service.signUp("ana@example.com").expect(202).execution
    let path = "/executions/\(id)/events"
    let whole = try service.stream(path)
    let first = try #require(try whole.readEvent())
    let last = try #require(try whole.readEvent())
    #expect(try whole.readEvent() == nil)

    let rest = try service.stream(path, after: first.id)
    #expect(try rest.readEvent() == last)
    #expect(try rest.readEvent() == nil)
    let byQuery = try service.stream("\(path)?last_event_id=\(first.id ?? "")")
    #expect(try byQuery.readEvent() == last)
    // No content: an EventSource does not reconnect after 204.
    try service.get(path, fields: ["Last-Event-ID: \(last.id ?? "")"]).expect(204)
    let reset = try service.stream(path, after: "!")
    #expect(try reset.readEvent()?.event == "reset")
    #expect(try reset.readEvent() == first)
    #expect(try reset.readEvent() == last)
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `a stored execution is found after a restart`(_ signal: Int32) throws {
    let service = try Enlist(["--drain", "0s"])
    let id = try service.signUp("ana@example.com").expect(202).execution
    try service.restart(after: signal)
    let snapshot = try service.get("/executions/\(id)").expect(200)
    #expect(
      snapshot.text == #"{"execution":{"id":"\#(id)","state":"completed","message":"Thanks"}}"#)
    let events = try service.stream("/executions/\(id)/events")
    #expect(try events.readEvent()?.event == "started")
    #expect(try events.readEvent()?.event == "completed")
    #expect(try events.readEvent() == nil)

    // With one digit changed, the id is well-formed but was never issued.
    var digits = Array(id)
    digits[20] = digits[20] == "0" ? "1" : "0"
    let unknown = String(digits)
    try service.get("/executions/\(unknown)").expect(404)
    try service.get("/executions/\(unknown)/events").expect(404)
  }
}
