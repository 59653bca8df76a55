import Signals
import Testing

@testable import Microhttpd

/// The timers of an event loop, in virtual time.
@Suite struct TimerQueueTests {
  /// Makes a queue with one timer that repeats every ten seconds, and a function that counts runs.
  private func makeQueue() -> (TimerQueue, runCount: () -> Int) {
    let runs = Lock(0)
    var queue = TimerQueue()
    queue.insert(
      LoopTimer(deadline: .seconds(10), interval: .seconds(10)) { runs.withLock { $0 += 1 } })
    return (queue, { runs.withLock { $0 } })
  }

  @Test func `a repeating timer keeps its schedule after a late run`() {
    var (queue, runCount) = makeQueue()
    queue.runDue(at: .seconds(9))
    #expect(runCount() == 0)
    queue.runDue(at: .seconds(13))
    #expect(runCount() == 1)
    #expect(queue.nextDeadline == .seconds(20))
  }

  /// libmicrohttpd must get a turn between two deadline checks of a connection.
  @Test(arguments: [20, 21, 35, 1000])
  func `a delayed timer runs once per turn, not once for each missed interval`(seconds: Int) {
    var (queue, runCount) = makeQueue()
    queue.runDue(at: .seconds(seconds))
    #expect(runCount() == 1)
    #expect(queue.nextDeadline == .seconds(seconds + 10))
    queue.runDue(at: .seconds(seconds))
    #expect(runCount() == 1)
  }

  @Test func `timers run in order of their deadlines, then in order of insertion`() {
    let names = Lock<[String]>([])
    var queue = TimerQueue()
    for (name, seconds) in [("c", 3), ("a", 1), ("b", 2), ("b2", 2), ("d", 9)] {
      queue.insert(
        LoopTimer(deadline: .seconds(seconds), interval: nil) { names.withLock { $0.append(name) } }
      )
    }
    queue.runDue(at: .seconds(3))
    #expect(names.withLock { $0 } == ["a", "b", "b2", "c"])
    #expect(queue.nextDeadline == .seconds(9))
  }

  @Test func `a disposed timer neither runs nor repeats`() {
    let runs = Lock(0)
    let timer = LoopTimer(deadline: .seconds(1), interval: .seconds(1)) {
      runs.withLock { $0 += 1 }
    }
    var queue = TimerQueue()
    queue.insert(timer)
    timer.dispose()
    queue.runDue(at: .seconds(1))
    #expect(runs.withLock { $0 } == 0)
    #expect(queue.nextDeadline == nil)
  }
}
