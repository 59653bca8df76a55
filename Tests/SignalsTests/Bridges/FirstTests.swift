import Dispatch
import Signals
import SignalsTesting
import Testing

@Suite struct FirstTests {
  @Test func `is the first value, and disposes the signal`() async {
    let disposals = Counter()
    let signal = Signal<Int, Never>(Naturals()).do(disposed: { disposals.increment() })
    #expect(await signal.first() == 0)
    #expect(disposals.value == 1)
  }

  @Test func `is nil when the signal completes without a value`() async {
    #expect(await Signal<Int, Never>.empty.first() == nil)
  }

  @Test func `throws the error of the signal, in its type`() async {
    do throws(Trouble) {
      _ = try await Signal<Int, Trouble>.fail(Trouble(number: 2)).first()
      Issue.record("should have thrown")
    } catch {
      #expect(error.number == 2)
    }
  }

  @Test func `waits for a value of another thread`() async {
    let signal = Signal<Int, Never> { observer in
      DispatchQueue.global().async { observer.send(7) }
      return nil
    }
    #expect(await signal.first() == 7)
  }

  @Test func `is nil when the awaiting task is canceled, and disposes the signal`() async {
    let disposals = Counter()
    let subscribed = ReplaySubject<Void, Never>()
    let signal = Signal<Int, Never>.never
      .initially { subscribed.send(()) }
      .do(disposed: { disposals.increment() })
    let task = Task { await signal.first() }
    _ = await subscribed.signal.first()
    task.cancel()
    #expect(await task.value == nil)
    #expect(disposals.value == 1)
  }
}
