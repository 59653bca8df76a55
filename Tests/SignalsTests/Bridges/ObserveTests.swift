import Signals
import SignalsTesting
import Testing

@globalActor private actor Archive {
  static let shared = Archive()
}

/// Closures that run on the actor of the caller, whatever that is.
@Suite struct ObserveTests {
  /// A class of the main actor.
  @MainActor private final class Screen {
    private(set) var lines: [String] = []
    private let bag = DisposableBag()

    init(_ source: Signal<Int, Trouble>, ended: ReplaySubject<Void, Never>) {
      source.observe(
        next: { [weak self] in self?.lines.append("\($0)") },
        failed: { [weak self] error in
          self?.lines.append("failed \(error.number)")
          ended.send()
        }
      )
      .store(in: bag)
    }
  }

  /// A plain class, which is neither `Sendable` nor isolated.
  private final class List {
    private(set) var lines: [String] = []
    private let bag = DisposableBag()

    @MainActor init(_ source: Signal<Int, Trouble>, ended: ReplaySubject<Void, Never>) {
      source.observe(
        next: { [weak self] in self?.lines.append("\($0)") },
        failed: { [weak self] error in
          self?.lines.append("failed \(error.number)")
          ended.send()
        }
      )
      .store(in: bag)
    }
  }

  private actor Store {
    private(set) var lines: [String] = []
    private let bag = DisposableBag()

    func follow(_ source: Signal<Int, Trouble>, ended: ReplaySubject<Void, Never>) {
      source.observe(
        on: self,
        next: { store, value in store.lines.append("\(value)") },
        failed: { store, error in
          store.lines.append("failed \(error.number)")
          ended.send()
        }
      )
      .store(in: bag)
    }

    func followStrongly(_ source: Signal<Int, Trouble>, ended: ReplaySubject<Void, Never>) {
      source.observe(
        next: { self.lines.append("\($0)") },
        failed: {
          self.lines.append("failed \($0.number)")
          ended.send()
        }
      )
    }
  }

  @Archive private final class Shelf {
    private(set) var lines: [String] = []

    func follow(_ source: Signal<Int, Trouble>, ended: ReplaySubject<Void, Never>) {
      source.observe(
        next: { [weak self] in self?.lines.append("\($0)") },
        failed: { [weak self] error in
          self?.lines.append("failed \(error.number)")
          ended.send()
        }
      )
    }
  }

  private let source = Subject<Int, Trouble>()
  private let ended = ReplaySubject<Void, Never>()
  private let expected = (1...3_000).map { "\($0)" } + ["failed 7"]

  /// Sends on other threads, and waits until the end has been delivered.
  private func send() async {
    await Task.detached { [source] in
      for value in 1...3_000 { source.send(value) }
      source.fail(Trouble(number: 7))
    }.value
    _ = await ended.first()
  }

  @Test @MainActor func `a class of the main actor receives what other threads send`() async {
    let screen = Screen(source.signal, ended: ended)
    await send()
    #expect(screen.lines == expected)
  }

  @Test @MainActor func `a plain class receives it on the actor of its method`() async {
    let list = List(source.signal, ended: ended)
    await send()
    #expect(list.lines == expected)
  }

  @Test func `an actor receives it, and is not kept alive`() async {
    let store = Store()
    await store.follow(source.signal, ended: ended)
    await send()
    #expect(await store.lines == expected)
  }

  @Test func `an actor receives it in closures that keep it alive`() async {
    let store = Store()
    await store.followStrongly(source.signal, ended: ended)
    await send()
    #expect(await store.lines == expected)
  }

  @Test func `any global actor receives it`() async {
    let shelf = Shelf()
    await shelf.follow(source.signal, ended: ended)
    await send()
    #expect(await shelf.lines == expected)
  }

  @Test func `the subscription of a released actor is disposed with its bag`() async {
    do {
      let store = Store()
      await store.follow(source.signal, ended: ended)
    }
    let disposals = Counter()
    do {
      let store = Store()
      await store.follow(source.signal.do(disposed: { disposals.increment() }), ended: ended)
    }
    #expect(disposals.value == 1)
  }

  @Test func `the next event disposes a subscription whose actor has been released`() async {
    let disposed = ReplaySubject<Void, Never>()
    let source = source.signal.do(disposed: { disposed.send() })
    do {
      let store = Store()
      source.observe(on: store, next: { _, _ in })
    }
    self.source.send(1)
    #expect(await disposed.first() != nil)
  }

  @Test @MainActor func `nothing arrives after disposal on the actor`() async {
    let seen = Counter()
    let subscription = source.observe(next: { _ in seen.increment() })
    await Task.detached { [source] in source.send(1) }.value
    let before = seen.value
    subscription.dispose()
    await withCheckedContinuation { continuation in
      MainActorScheduler().schedule { continuation.resume() }
    }
    #expect(seen.value == before)
  }
}
