import Dispatch
import Glibc
import HTTPSignals
import Signals
import Microhttpd
import Testing
import TestSupport

/// Event loops that have nothing to do.
@Suite struct IdleLoopTests {
  /// The CPU time of the calling thread; the corresponding C function is `clock_gettime`.
  private static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// A wake-up that is not cleared would make the loop spin.
  @Test(arguments: TestWire.streaming)
  func `an event loop sleeps after any number of wake-ups from any source`(
    _ wire: TestWire
  )
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
  ///
  /// A loop that polls is switched off the processor with each poll, at least a hundred times; a
  /// loop that waits, only for its timers.
  @Test func `an event loop sleeps while TLS handshakes wait for their clients`() async throws {
    try await TestServer.run(over: .secure, handler: { $0.respond(.text("here")) }) { server in
      let slow = try (0..<100).map { _ in try Client(port: server.port) }
      for client in slow { try client.send(Self.startOfHandshake) }
      #expect(try server.get("/").text == "here")
      let (before, after) = try readings(of: server.daemon.scheduler) { waitCount }
      #expect(after - before < 50)
      for client in slow { client.close() }
    }
  }

  @Test func `requests are served while TLS handshakes wait for their clients`() async throws {
    try await TestServer.run(
      over: .secure,
      handler: { exchange in
        DispatchQueue.global().async {
          exchange.respond(.text(String(repeating: "x", count: 100_000)))
        }
      }
    ) { server in
      let slow = try (0..<100).map { _ in try Client(port: server.port) }
      for client in slow { try client.send(Self.startOfHandshake) }
      let client = try server.connect()
      for _ in 0..<20 {
        try client.request("POST", "/", body: String(repeating: "y", count: 10_000))
        #expect(try client.readResponse().text.utf8.count == 100_000)
      }
      try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 20))
      for _ in 0..<20 { #expect(try client.readResponse().text.utf8.count == 100_000) }
      for client in slow { client.close() }
    }
  }

  private static let startOfHandshake = "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"

  /// How often the calling thread has waited; the corresponding C function is `getrusage`.
  private var waitCount: Int {
    var usage = rusage()
    // RUSAGE_THREAD, which <sys/resource.h> declares for GNU programs only.
    getrusage(__rusage_who_t(1), &usage)
    return usage.ru_nvcsw
  }

  /// Expects an event loop to use less than a quarter of 200 ms as CPU time.
  private func expectSleep(of scheduler: any Scheduler) throws {
    let (begin, end) = try readings(of: scheduler) { Self.threadTime }
    // A spinning loop uses all of it, unless the machine is busy.
    #expect(end - begin < Self.span / 4)
  }

  private static let span = Duration.milliseconds(200)

  /// Reads something twice on the thread of an event loop, with a span of time between.
  private func readings<Reading: Sendable>(
    of scheduler: any Scheduler, _ read: @escaping @Sendable () -> Reading
  ) throws -> (Reading, Reading) {
    let readings = Lock<[Reading]>([])
    let isOver = Expectation()
    for delay in [.zero, Self.span] {
      scheduler.schedule(after: delay) {
        readings.withLock { $0.append(read()) }
        isOver.fulfill()
      }
    }
    try isOver.wait()
    try isOver.wait()
    return readings.withLock { ($0[0], $0[1]) }
  }
}
