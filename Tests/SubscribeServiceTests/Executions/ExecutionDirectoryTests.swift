import Signals
import MailingList
import TestSupport
import Testing

@testable import Services

/// The executions that the process remembers.
@Suite struct ExecutionDirectoryTests {
  private let clock = Clock()
  private let directory: ExecutionDirectory

  init() {
    let clock = clock
    directory = ExecutionDirectory(history: .seconds(600), now: { clock.now })
  }

  private func makeID() -> ExecutionID {
    var generator = RandomNumbers()
    return ExecutionID(at: clock.now, using: &generator)
  }

  private func record(_ id: ExecutionID, _ messages: StatusMessage...) {
    for message in messages {
      directory.record(StatusEvent(execution: id, message: message, time: clock.now))
    }
  }

  private func messages(_ id: ExecutionID) -> [StatusMessage]? {
    directory.history(of: id)?.map(\.message)
  }

  @Test func `remembers the messages of an execution and their times`() throws {
    let id = makeID()
    #expect(directory.history(of: id) == nil)
    #expect(directory.events(of: id) == nil)
    record(id, .started)
    #expect(messages(id) == [.started])
    clock.advance(seconds: 3)
    record(id, .failed)
    #expect(messages(id) == [.started, .failed])
    let times = try #require(directory.history(of: id)).map(\.time.millisecondsSince1970)
    #expect(times == [1_800_000_000_000, 1_800_000_003_000])
  }

  @Test func `counts executions in flight`() {
    let ids = (0..<3).map { _ in makeID() }
    for (index, id) in ids.enumerated() {
      record(id, .started)
      #expect(directory.executingCount == index + 1)
    }
    record(ids[1], .completed)
    record(ids[0], .failed)
    #expect(directory.executingCount == 1)
    clock.advance(seconds: 1000)
    #expect(messages(ids[0]) == nil)
    #expect(directory.executingCount == 1)
  }

  @Test func `forgets an execution only when the history time after its end is over`() {
    let long = makeID()
    let short = makeID()
    record(long, .started)
    record(short, .started, .completed)
    clock.advance(seconds: 600)
    #expect(messages(short) == [.started, .completed])
    clock.advance(seconds: 1)
    #expect(messages(short) == nil)
    // An execution in flight is never forgotten.
    #expect(messages(long) == [.started])
    record(long, .completed)
    clock.advance(seconds: 600)
    #expect(messages(long) == [.started, .completed])
  }

  @Test func `keeps an ended execution for its history time to the millisecond`() {
    let clock = clock
    let directory = ExecutionDirectory(history: .milliseconds(1500), now: { clock.now })
    let id = makeID()
    for message in [StatusMessage.started, .completed] {
      directory.record(StatusEvent(execution: id, message: message, time: clock.now))
    }
    clock.advance(milliseconds: 1500)
    #expect(directory.history(of: id) != nil)
    clock.advance(milliseconds: 1)
    #expect(directory.history(of: id) == nil)
  }

  @Test func `remembers only the last ended executions, up to the maximum`() {
    let inFlight = makeID()
    record(inFlight, .started)
    let ids = (0..<(ExecutionDirectory.maximumEndedCount + 100)).map { _ in makeID() }
    for id in ids { record(id, .started, .completed) }
    #expect(messages(inFlight) == [.started])
    #expect(ids[..<100].allSatisfy { messages($0) == nil })
    #expect(messages(ids[100]) == [.started, .completed])
    #expect(messages(ids[ids.count - 1]) == [.started, .completed])
    #expect(directory.executingCount == 1)
  }

  @Test func `finds executions that ended out of order or after the clock was set back`() {
    var ids: [ExecutionID] = []
    for _ in 0..<3000 {
      let (slow, quick) = (makeID(), makeID())
      clock.advance(milliseconds: 1)
      record(slow, .started)
      record(quick, .started, .completed)
      ids.append(slow)
      ids.append(quick)
    }
    clock.advance(seconds: -3600)
    let late = makeID()
    record(late, .started, .failed)
    for id in ids where messages(id) == [.started] { record(id, .completed) }
    #expect(messages(late) == [.started, .failed])
    #expect(ids.allSatisfy { messages($0) == [.started, .completed] })
    #expect(messages(makeID()) == nil)
  }

  @Test func `sends the end of an execution to waiting observers, then completes`() async throws {
    let id = makeID()
    record(id, .started)
    let seen = Lock<[StatusMessage]>([])
    let isOver = Lock(false)
    for _ in 0..<2 {
      try #require(directory.events(of: id)).subscribe(
        next: { event in seen.withLock { $0.append(event.message) } },
        completed: { isOver.withLock { $0 = true } })
    }
    #expect(seen.withLock { $0 } == [.started, .started])
    record(id, .completed)
    #expect(seen.withLock { $0 } == [.started, .started, .completed, .completed])
    #expect(isOver.withLock { $0 })
    let later = try #require(directory.events(of: id))
    #expect(await later.values().map(\.message) == [.started, .completed])
  }
}
