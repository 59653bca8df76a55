import Dispatch
import Signals
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct UnixSignalTests {
  @Test func `sends the number each time that the process gets it`() async {
    let received = ReplaySubject<Int32, Never>()
    let subscription = Signal.unixSignal(SIGUSR2).subscribe(received.observer)
    // Listening begins on a queue of its own, so it is sent until it is heard.
    let sending = Signal.interval(.milliseconds(5), on: QueueScheduler.background)
      .subscribe(next: { _ in kill(getpid(), SIGUSR2) })
    #expect(await received.signal.take(2).collect().first() == [SIGUSR2, SIGUSR2])
    sending.dispose()
    subscription.dispose()
  }
}
