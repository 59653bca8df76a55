import Signals
import SignalsTesting
import Testing

/// The promise about disposal, 5, where a join ends because of what happens within its own callback.
@Suite struct ContractJoinTests {
  @Test(
    arguments: [
      "merge", "flatMap", "flatten", "switchToLatest", "combineLatest of two",
      "combineLatest of three", "combineLatest of an array", "zip of two", "zip of three",
      "zip of an array", "sample", "exhaustMap", "race", "withLatest", "window", "retry(when:)",
    ]
  )
  func `a failure within a callback of a join is delivered before clean-up`(name: String) {
    let recorder = Recorder()
    let driver = Subject<Int, Trouble>()
    let held = Lock<Observer<Int, Trouble>?>(nil)
    let failing = Signal<Int, Trouble> { observer in
      held.withLock { $0 = observer }
      return AnyDisposable { recorder.note("disposed") }
    }
    let signals = Signal<Signal<Int, Trouble>, Trouble>([failing, driver.signal])
    let one = Signal<Int, Trouble>.just(1).concat(.never)
    let joined: Signal<Int, Trouble> =
      switch name {
      case "merge": failing.merge(with: driver.signal)
      case "flatMap": signals.flatMap { $0 }
      case "flatten": signals.flatten()
      case "switchToLatest": failing.map { _ in driver.signal }.switchToLatest()
      case "combineLatest of two": combineLatest(failing, driver.signal) { $1 }
      case "combineLatest of three": combineLatest(failing, one, driver.signal) { $2 }
      case "combineLatest of an array": combineLatest([failing, driver.signal]).map { $0[1] }
      case "zip of two": zip(failing, driver.signal) { $1 }
      case "zip of three": zip(failing, one, driver.signal) { $2 }
      case "zip of an array": zip([failing, driver.signal]).map { $0[1] }
      case "exhaustMap": failing.exhaustMap { _ in driver.signal }
      case "race": failing.race(with: driver.signal)
      case "withLatest": driver.signal.withLatest(from: failing) { $0 + $1 }
      case "window": failing.window(for: .seconds(1), on: TestScheduler()).flatMap { $0 }
      case "retry(when:)": driver.signal.retry(when: { _ in failing })
      default: failing.sample(on: driver.signal)
      }
    joined.skip(["merge", "flatMap", "flatten"].contains(name) ? 1 : 0).subscribe(
      next: { _ in
        held.withLock { $0 }?.fail(Trouble())
        recorder.note("returns")
      },
      failed: { _ in recorder.note("failed") }
    )
    held.withLock { $0 }?.send(0)
    driver.send(1)
    #expect(recorder.lines == ["0.0 returns", "0.0 failed", "0.0 disposed"])
  }

  @Test func `a trigger within a callback completes before the trigger is cleaned up`() {
    let recorder = Recorder()
    let source = Subject<Int, Never>()
    let held = Lock<Observer<Int, Never>?>(nil)
    let trigger = Signal<Int, Never> { observer in
      held.withLock { $0 = observer }
      return AnyDisposable { recorder.note("disposed") }
    }
    source.signal.take(until: trigger).subscribe(
      next: { _ in
        held.withLock { $0 }?.complete()
        recorder.note("returns")
      },
      completed: { recorder.note("completed") }
    )
    source.send(1)
    #expect(recorder.lines == ["0.0 returns", "0.0 completed", "0.0 disposed"])
  }
}
