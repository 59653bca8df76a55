import Dispatch
import Glibc
import HTTPSignals
import Locks
import Microhttpd
import Signals
import Testing
import TestSupport

/// What an event loop does when there is nothing to do.
@Suite struct IdleLoopTests {
  /// The processor time of the calling thread.
  private static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// A wake-up that is not taken back would have it go round and round.
  @Test(arguments: TestWire.allCases)
  func `a loop sleeps, however often it was woken, by whomever`(_ wire: TestWire) async throws {
    let log = EventLog(capacity: 64)
    let answer: @Sendable (Exchange) -> Void = { exchange in
      if exchange.request.path == "/events" {
        exchange.respond(EventStream(log: log, from: log.head).response)
      } else {
        DispatchQueue.global().async { exchange.respond(.text("later")) }
      }
    }
    try await TestServer.run(over: wire, answer: answer) { server in
      let stream = try server.connect()
      try stream.request("GET", "/events")
      #expect(try stream.readHead().status == 200)
      let scheduler = server.daemon.scheduler
      let client = try server.connect()
      for number in 1...100 {
        try client.request("GET", "/")
        DispatchQueue.concurrentPerform(iterations: 4) { _ in scheduler.schedule {} }
        log.append(count: 1)
        #expect(try client.readAnswer().text == "later")
        #expect(try stream.readEvent()?.id == "test-\(number)")
      }
      let span = Duration.milliseconds(200)
      let times = Lock<[Duration]>([])
      let isOver = Happening()
      for delay in [.zero, span] {
        scheduler.schedule(after: delay) {
          times.withLock { $0.append(Self.threadTime) }
          isOver.happen()
        }
      }
      try isOver.wait()
      try isOver.wait()
      let (begin, end) = times.withLock { ($0[0], $0[1]) }
      // One that does not sleep would have needed all of it, on a machine that lets it.
      #expect(end - begin < span / 4)
    }
  }
}
