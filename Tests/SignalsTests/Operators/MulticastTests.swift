import Signals
import SignalsTesting
import Testing

@Suite struct MulticastTests {
  /// A cold signal that can be sent to, and that counts its subscriptions and disposals.
  private final class Source: Sendable {
    let subject = Subject<Int, Trouble>()
    let subscriptions = Counter()
    let disposals = Counter()

    var signal: Signal<Int, Trouble> {
      subject.signal
        .initially { [subscriptions] in subscriptions.increment() }
        .do(disposed: { [disposals] in disposals.increment() })
    }
  }

  @Test func `connect() subscribes the source at most once and always returns the same disposable`()
  {
    let source = Source()
    let connection = source.signal.publish()
    #expect(source.subscriptions.value == 0)
    let returned = Lock<[any Disposable]>([])
    inParallel(8) { _ in
      let connected = connection.connect()
      returned.withLock { $0.append(connected) }
    }
    let first = returned.withLock { $0[0] }
    #expect(returned.withLock { $0 }.allSatisfy { $0 === first })
    #expect(source.subscriptions.value == 1)
    first.dispose()
    #expect(connection.connect() === first)
    #expect(source.subscriptions.value == 1)
  }

  @Test func `multicast sends through the given subject`() {
    let connection = Signal<Int, Never>([1, 2]).multicast(ReplaySubject(capacity: 1))
    connection.connect()
    #expect(events(of: connection.signal) == [.next(2), .completed])
  }

  @Test func `autoconnect subscribes the subject first, then connects`() {
    let connection = Signal<Int, Never>([1, 2]).publish()
    #expect(events(of: connection.autoconnect()) == [.next(1), .next(2), .completed])
  }

  @Test func `autoconnect disconnects when its last subscriber has gone`() {
    let source = Source()
    let signal = source.signal.publish().autoconnect()
    let one = signal.subscribe()
    let other = signal.subscribe()
    one.dispose()
    #expect(source.disposals.value == 0)
    other.dispose()
    #expect(source.disposals.value == 1)
    signal.subscribe()
    #expect(source.subscriptions.value == 1)
  }

  @Test func `disposing a connection stops the source and sends no end`() {
    let source = Source()
    let connection = source.signal.publish()
    let recorder = Recorder()
    recorder.record(connection.signal, as: "S")
    let connected = connection.connect()
    source.subject.send(1)
    connected.dispose()
    source.subject.send(2)
    source.subject.complete()
    #expect(recorder.lines == ["0.0 S 1"])
    #expect(source.disposals.value == 1)
  }

  @Test func `replay repeats all events to everybody and works once`() {
    let source = Source()
    let signal = source.signal.replay()
    source.subject.send(1)
    source.subject.send(2)
    source.subject.fail(Trouble())
    for _ in 0..<2 {
      #expect(events(of: signal) == [.next(1), .next(2), .failed(Trouble())])
    }
    #expect(source.subscriptions.value == 1)
  }

  @Test func `replayLast repeats the last value`() {
    let source = Source()
    let signal = source.signal.replayLast()
    source.subject.send(1)
    source.subject.send(2)
    #expect(values(of: signal) == [2])
  }

  @Test func `replayLazily works for the first subscriber, and goes on without it`() {
    let source = Source()
    let signal = source.signal.replayLazily()
    #expect(source.subscriptions.value == 0)
    signal.subscribe().dispose()
    source.subject.send(1)
    #expect(values(of: signal) == [1])
    #expect(source.subscriptions.value == 1)
    #expect(source.disposals.value == 0)
  }
}
