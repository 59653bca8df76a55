import Signals
import Testing

@Suite struct DisposableTests {
  @Test func `a disposable runs its closure once, whoever disposes`() {
    let runs = Counter()
    let disposable = AnyDisposable { runs.increment() }
    #expect(!disposable.isDisposed)
    inParallel(8) { _ in disposable.dispose() }
    #expect(runs.value == 1)
    #expect(disposable.isDisposed)
  }

  @Test func `a disposable that is let go of runs nothing`() {
    let runs = Counter()
    do { _ = AnyDisposable { runs.increment() } }
    #expect(runs.value == 0)
  }

  @Test func `a composite disposes its members, those too that come later`() {
    let runs = Counter()
    let composite = CompositeDisposable()
    for _ in 0..<5 { composite.add(AnyDisposable { runs.increment() }) }
    composite.dispose()
    #expect(runs.value == 5)
    composite.add(AnyDisposable { runs.increment() })
    #expect(runs.value == 6)
    composite.dispose()
    #expect(runs.value == 6)
  }

  @Test(arguments: 0..<4)
  func `a composite lets go of a member without disposing it`(index: Int) {
    let runs = Counter()
    let composite = CompositeDisposable()
    let members = (0..<4).map { _ in AnyDisposable { runs.increment() } }
    for member in members { composite.add(member) }
    composite.remove(members[index])
    composite.dispose()
    #expect(runs.value == 3)
    #expect(!members[index].isDisposed)
  }

  @Test(arguments: 0..<4, [false, true])
  func `a member that was added twice is a member once`(others: Int, isFirst: Bool) {
    let composite = CompositeDisposable()
    let member = AnyDisposable {}
    if isFirst { composite.add(member) }
    for _ in 0..<others { composite.add(AnyDisposable {}) }
    composite.add(member)
    if !isFirst { composite.add(member) }
    composite.remove(member)
    composite.dispose()
    #expect(!member.isDisposed)
  }

  @Test func `a composite that is disposed while others add loses none`() {
    let runs = Counter()
    let composite = CompositeDisposable()
    inParallel(4) { thread in
      for number in 0..<500 {
        composite.add(AnyDisposable { runs.increment() })
        if thread == 0, number == 250 { composite.dispose() }
      }
    }
    #expect(runs.value == 2_000)
  }

  @Test func `a serial disposable disposes what it replaces`() {
    let first = AnyDisposable {}
    let second = AnyDisposable {}
    let serial = SerialDisposable()
    serial.replace(with: first)
    #expect(!first.isDisposed)
    serial.replace(with: second)
    #expect(first.isDisposed)
    #expect(!second.isDisposed)
    serial.dispose()
    #expect(second.isDisposed)
    #expect(serial.isDisposed)
  }

  @Test func `a serial disposable that is disposed disposes what comes`() {
    let serial = SerialDisposable()
    serial.dispose()
    let late = AnyDisposable {}
    serial.replace(with: late)
    #expect(late.isDisposed)
  }

  @Test func `only a scoped disposable ends with its scope`() {
    let inner = AnyDisposable {}
    do {
      let scoped = ScopedDisposable(inner)
      #expect(!scoped.isDisposed)
    }
    #expect(inner.isDisposed)
  }

  @Test func `a disposable may dispose others, and itself, from its closure`() {
    let composite = CompositeDisposable()
    let runs = Counter()
    composite.add(
      AnyDisposable {
        runs.increment()
        composite.dispose()
        composite.add(AnyDisposable { runs.increment() })
      }
    )
    composite.dispose()
    #expect(runs.value == 2)
  }
}
