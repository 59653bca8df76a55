import Dispatch
import Foundation
import Signals
import MailingList
import TestSupport
import Testing

@Suite struct StatusEventsTests {
  private let store = ControlledStore()
  private let commands: SubscribeCommands

  init() {
    commands = SubscribeCommands(store: store)
  }

  /// Signs up many people on eight threads.
  private func signUpMany() -> [SignUpRequest] {
    let requests = (0..<4000).map { SignUpRequest.sample("person\($0)@example.org") }
    DispatchQueue.concurrentPerform(iterations: 8) { part in
      for request in requests[(part * 500)..<(part * 500 + 500)] {
        _ = commands.outcome(of: request)
      }
    }
    return requests
  }

  @Test func `sends the start and then the end of every execution during concurrent sign-ups`() {
    let recorded = Recorded(commands.statusEvents)
    let requests = signUpMany()
    let messages = Dictionary(grouping: recorded.values, by: \.execution).mapValues {
      $0.map(\.message)
    }
    #expect(recorded.values.count == 2 * requests.count)
    #expect(requests.allSatisfy { messages[$0.id] == [.started, .completed] })
  }

  @Test func `records the end of an execution before its outcome`() {
    let recorded = Lock<[ExecutionID: [StatusMessage]]>([:])
    let commands = SubscribeCommands(
      store: store,
      recordingWith: { event in
        recorded.withLock { $0[event.execution, default: []].append(event.message) }
      })
    let atOutcome = Lock<[[StatusMessage]?]>([])
    DispatchQueue.concurrentPerform(iterations: 4000) { number in
      let request = SignUpRequest.sample("person\(number)@example.org")
      commands.outcome(of: request).subscribe(completed: {
        let messages = recorded.withLock { $0[request.id] }
        atOutcome.withLock { $0.append(messages) }
      })
    }
    #expect(atOutcome.withLock { $0 } == Array(repeating: [.started, .completed], count: 4000))
  }

  @Test func `records the end of an execution while another thread is sending a message`() {
    let recorded = Lock<[StatusEvent]>([])
    let commands = SubscribeCommands(
      store: store, recordingWith: { event in recorded.withLock { $0.append(event) } })
    let first = SignUpRequest.sample("ada@example.org")
    let second = SignUpRequest.sample("bea@example.org")
    let sent = Recorded(commands.statusEvents.filter { $0.execution == second.id })
    let recordedAtOutcome = Lock<[StatusMessage]>([])
    let sentAtOutcome = Lock<[StatusEvent]?>(nil)
    let subscription = commands.statusEvents.subscribe(next: { event in
      guard event.execution == first.id, event.message == .started else { return }
      let hasEnded = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        commands.outcome(of: second).subscribe(completed: {
          let events = recorded.withLock { $0 }.filter { $0.execution == second.id }
          recordedAtOutcome.withLock { $0 = events.map(\.message) }
          sentAtOutcome.withLock { $0 = sent.values }
        })
        hasEnded.signal()
      }
      // This thread is sending a message until the other one has the outcome.
      hasEnded.wait()
    })
    _ = commands.outcome(of: first)
    subscription.dispose()
    #expect(recordedAtOutcome.withLock { $0 } == [.started, .completed])
    #expect(sentAtOutcome.withLock { $0 } == [])
    #expect(sent.values.map(\.message) == [.started, .completed])
  }

  @Test func `the messages of all commands are sent one at a time`() {
    let depth = Lock(0)
    let isBroken = Lock(false)
    commands.statusEvents.subscribe(next: { _ in
      let others = depth.withLock { depth in
        defer { depth += 1 }
        return depth
      }
      if others > 0 { isBroken.withLock { $0 = true } }
      depth.withLock { $0 -= 1 }
    })
    _ = signUpMany()
    #expect(!isBroken.withLock { $0 })
  }
}
