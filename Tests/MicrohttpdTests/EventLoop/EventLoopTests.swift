import CMicrohttpd
import Glibc
import Signals
import TestSupport
import Testing

@testable import Microhttpd

/// The thread of an event loop, without sockets.
@Suite struct EventLoopTests {
  /// The system may give the id of the thread to another one.
  @Test func `a loop that has ended is current on no thread, not even on its own`() throws {
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    defer { close(epoll) }
    let loop = try EventLoop()
    let answers = Lock<[Bool]>([])
    let hasEnded = Expectation()
    try loop.start(name: "test", on: epoll) { milliseconds in
      var event = epoll_event()
      epoll_wait(epoll, &event, 1, milliseconds)
    }
    loop.run { answers.withLock { $0.append(loop.isCurrent) } }
    loop.stop {
      answers.withLock { $0.append(loop.isCurrent) }
      hasEnded.fulfill()
    }
    try hasEnded.wait()
    #expect(answers.withLock { $0 } == [true, false])
  }
}
