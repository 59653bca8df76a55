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

/// With Unix signals that a process ignores unless it asks for them: one that comes late ends nothing.
@Suite struct UnixSignalTests {
  @Test func `sends the number each time that the process gets it`() async {
    let received = ReplaySubject<Int32, Never>()
    let subscription = Signal.unixSignal(SIGCONT).subscribe(received.observer)
    // Listening begins on a queue of its own, so it is sent until it is heard.
    let sending = Signal.interval(.milliseconds(5), on: QueueScheduler.background)
      .subscribe(next: { _ in kill(getpid(), SIGCONT) })
    #expect(await received.signal.take(2).collect().first() == [SIGCONT, SIGCONT])
    sending.dispose()
    subscription.dispose()
  }

  @Test func `a Unix signal that comes after subscribe has returned is heard`() async {
    for _ in 0..<50 {
      let received = ReplaySubject<Int32, Never>()
      let subscription = Signal.unixSignal(SIGURG).subscribe(next: { received.send($0) })
      kill(getpid(), SIGURG)
      #expect(await received.signal.first() == SIGURG)
      subscription.dispose()
    }
  }

  @Test func `any number of subscriptions hear a Unix signal, at once and one after another`() async
  {
    for _ in 0..<3 {
      let received = (0..<3).map { _ in ReplaySubject<Int32, Never>() }
      let subscriptions = received.map { subject in
        Signal.unixSignal(SIGWINCH).subscribe(next: { subject.send($0) })
      }
      kill(getpid(), SIGWINCH)
      for subject in received { #expect(await subject.signal.first() == SIGWINCH) }
      subscriptions[0].dispose()
      let late = ReplaySubject<Int32, Never>()
      let last = Signal.unixSignal(SIGWINCH).subscribe(next: { late.send($0) })
      kill(getpid(), SIGWINCH)
      #expect(await late.signal.first() == SIGWINCH)
      for subscription in subscriptions { subscription.dispose() }
      last.dispose()
    }
  }

  @Test func `the last subscription restores what the process did before the first`() {
    let before = disposition(of: SIGTTOU)
    for _ in 0..<2 {
      let subscriptions = (0..<2).map { _ in Signal.unixSignal(SIGTTOU).subscribe() }
      #expect(disposition(of: SIGTTOU) != before)
      subscriptions[0].dispose()
      #expect(disposition(of: SIGTTOU) != before)
      subscriptions[1].dispose()
      #expect(disposition(of: SIGTTOU) == before)
    }
    signal(SIGTTOU, SIG_IGN)
    let ignored = disposition(of: SIGTTOU)
    #expect(ignored != before)
    Signal.unixSignal(SIGTTOU).subscribe().dispose()
    #expect(disposition(of: SIGTTOU) == ignored)
    signal(SIGTTOU, SIG_DFL)
  }

  /// The address of the handler, in bytes: functions cannot be compared.
  private func disposition(of number: Int32) -> [UInt8] {
    var action = sigaction()
    sigaction(number, nil, &action)
    #if canImport(Glibc) || canImport(Musl)
      return withUnsafeBytes(of: action.__sigaction_handler) { Array($0) }
    #else
      return withUnsafeBytes(of: action.__sigaction_u) { Array($0) }
    #endif
  }
}
