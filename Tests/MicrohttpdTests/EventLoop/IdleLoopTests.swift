import Dispatch
import Glibc
import HTTPSignals
import Locks
import Microhttpd
import Signals
import Testing
import TestSupport

/// Event loops that have nothing to do.
@Suite(.timeLimit(.minutes(15))) struct IdleLoopTests {
  /// The CPU time of the calling thread; the corresponding C function is `clock_gettime`.
  private static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// A wake-up that is not cleared would make the loop spin.
  @Test(arguments: TestWire.allCases)
  func `an event loop sleeps after any number of wake-ups from any source`(_ wire: TestWire)
    async throws
  {
    let log = EventLog(capacity: 64)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      if exchange.request.path == "/events" {
        exchange.respond(EventStream(log: log, from: log.head).response)
      } else {
        DispatchQueue.global().async { exchange.respond(.text("later")) }
      }
    }
    try await TestServer.run(over: wire, handler: handler) { server in
      let stream = try server.connect()
      try stream.request("GET", "/events")
      #expect(try stream.readHead().status == 200)
      let scheduler = server.daemon.scheduler
      let client = try server.connect()
      for number in 1...100 {
        try client.request("GET", "/")
        DispatchQueue.concurrentPerform(iterations: 4) { _ in scheduler.schedule {} }
        log.append(count: 1)
        #expect(try client.readResponse().text == "later")
        #expect(try stream.readEvent()?.id == "test-\(number)")
      }
      try expectSleep(of: scheduler)
    }
  }

  /// Each client sends the header of a TLS handshake record and the first byte of its content.
  @Test func `an event loop sleeps while a TLS handshake waits for its client`() async throws {
    try await TestServer.run(
      over: .secure,
      handler: { $0.respond(.text("here")) }
    ) { server in
      let slow = try (0..<8).map { _ in try SocketClient(port: server.port) }
      for client in slow { try client.send("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}") }
      #expect(try server.get("/").text == "here")
      try expectSleep(of: server.daemon.scheduler)
      for client in slow { client.close() }
    }
  }

  /// Expects an event loop to use less than a quarter of 200 ms as CPU time.
  private func expectSleep(of scheduler: any Scheduler) throws {
    let span = Duration.milliseconds(200)
    let times = Lock<[Duration]>([])
    let isOver = Expectation()
    for delay in [.zero, span] {
      scheduler.schedule(after: delay) {
        times.withLock { $0.append(Self.threadTime) }
        isOver.fulfill()
      }
    }
    try isOver.wait()
    try isOver.wait()
    let (begin, end) = times.withLock { ($0[0], $0[1]) }
    // A spinning loop uses all of it, unless the machine is busy.
    #expect(end - begin < span / 4)
  }
}
