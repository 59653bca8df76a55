import Glibc
import HTTPSignals
import Signals
import Microhttpd
import Platform
import Synchronization
import Testing
import TestSupport

/// The address that a daemon listens on, and the event loops that share it.
@Suite struct ListeningTests {
  @Test func `several event loops share one port`() async throws {
    let waiting = Lock<[Exchange]>([])
    let hasArrived = Expectation()
    let loops = 4
    let daemon = try Daemon(.test(loops: loops))
    // Each loop has its own signal.
    let counts = (0..<loops).map { _ in Counter() }
    for (exchanges, counter) in zip(daemon.exchanges, counts) {
      exchanges.subscribe(next: { exchange in
        counter.add()
        waiting.withLock { $0.append(exchange) }
        hasArrived.fulfill()
      })
    }
    #expect(daemon.exchanges.count == loops)
    try daemon.start()
    let clients = try (0..<64).map { _ in try Client(port: daemon.port) }
    for client in clients {
      try client.request("GET", "/")
      try hasArrived.wait()
    }
    for exchange in waiting.withLock({ $0 }) { exchange.respond(.text("shared")) }
    // The exchanges retain their loop, whose subscription retains them.
    waiting.withLock { $0 = [] }
    for client in clients { #expect(try client.readResponse().text == "shared") }
    #expect(counts.map(\.value).reduce(0, +) == clients.count)
    await daemon.stop(drain: .zero)
    // An exchange retains its loop, and the loop retains its subscribers.
    waiting.withLock { $0 = [] }
  }

  @Test func `a daemon reports an address that is already in use`() async throws {
    let first = try Daemon(.test())
    var options = DaemonOptions.test()
    options.endpoint = first.endpoint
    let error = #expect(throws: DaemonError.self) { try Daemon(options) }
    let address = "127.0.0.1:\(first.port)"
    #expect(error?.description == "Cannot listen on \(address): Address already in use.")
    await first.stop(drain: .zero)
  }

  @Test func `a daemon reports an address that this machine does not have`() throws {
    var options = DaemonOptions.test()
    options.endpoint = .address(.network(try #require(HostAndPort("192.0.2.1:0"))))
    #expect(throws: DaemonError.cannotListen(address: "192.0.2.1:0", errorNumber: EADDRNOTAVAIL)) {
      try Daemon(options)
    }
  }

  @Test func `scheduled work runs on the event loop, in order and on time`() async throws {
    let daemon = try Daemon(.test())
    try daemon.start()
    let order = Lock<[Int]>([])
    let isDone = Expectation()
    let scheduler = daemon.scheduler
    let begin = scheduler.now
    let canceled = scheduler.schedule(after: .milliseconds(5)) { order.withLock { $0.append(0) } }
    canceled.dispose()
    scheduler.schedule(after: .milliseconds(30)) {
      order.withLock { $0.append(4) }
      isDone.fulfill()
    }
    scheduler.schedule(after: .milliseconds(10)) { order.withLock { $0.append(2) } }
    scheduler.schedule(after: .milliseconds(20)) { order.withLock { $0.append(3) } }
    scheduler.schedule { order.withLock { $0.append(1) } }
    try isDone.wait()
    #expect(scheduler.now - begin >= .milliseconds(30))
    #expect(order.withLock { $0 } == [1, 2, 3, 4])
    let repeated = scheduler.schedule(after: .zero, repeating: .milliseconds(1)) {
      isDone.fulfill()
    }
    for _ in 0..<3 { try isDone.wait() }
    repeated.dispose()
    await daemon.stop(drain: .zero)
  }
}

/// A counter that any thread can increment.
private final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  func add() {
    count.add(1, ordering: .sequentiallyConsistent)
  }
}
