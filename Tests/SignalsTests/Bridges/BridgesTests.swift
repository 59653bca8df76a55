import Signals
import SignalsTesting
import Testing

/// What the articles bridge into signals and has no operator or type of its own here: callback
/// blocks, target and action, delegates, text fields, and what lasts as long as its owner.
///
/// Notifications, Unix signals, timers, tasks and asynchronous sequences have suites of their own.
@Suite struct BridgesTests {
  private let recorder = Recorder()

  // MARK: Callback blocks (articles 001, 003 and 004)

  @Test func `a callback block becomes a signal that calls anew for each subscription`() {
    let service = LoginService()
    let signIn = Signal<Bool, LoginService.Rejection> { observer in
      let call = service.signIn("bob") { result in
        switch result {
        case .success(let isNew):
          observer.send(isNew)
          observer.complete()
        case .failure(let rejection):
          observer.fail(rejection)
        }
      }
      return AnyDisposable { service.cancel(call) }
    }
    #expect(service.callCount == 0)
    recorder.record(signIn, as: "S1")
    recorder.record(signIn, as: "S2")
    service.answer(0, .success(true))
    service.answer(1, .failure(LoginService.Rejection()))
    #expect(
      recorder.lines == [
        "0.0 S1 true", "0.0 S1 completed", "0.0 S2 failed Rejection()",
      ]
    )
  }

  @Test func `disposal cancels what the callback block would have answered`() {
    let service = LoginService()
    let signIn = Signal<Bool, Never> { observer in
      let call = service.signIn("bob") { _ in observer.complete() }
      return AnyDisposable { service.cancel(call) }
    }
    recorder.record(signIn, as: "S").dispose()
    #expect(service.canceled == [0])
    service.answer(0, .success(true))
    #expect(recorder.lines.isEmpty)
  }

  @Test func `replayed, a callback block is called once, whoever subscribes`() {
    let service = LoginService()
    let signIn = Signal<Bool, Never> { observer in
      _ = service.signIn("bob") { _ in
        observer.send(true)
        observer.complete()
      }
      return nil
    }
    let shared = signIn.replayLazily()
    #expect(service.callCount == 0)
    recorder.record(shared, as: "S1")
    service.answer(0, .success(true))
    recorder.record(shared, as: "S2")
    #expect(service.callCount == 1)
    #expect(
      recorder.lines == [
        "0.0 S1 true", "0.0 S1 completed", "0.0 S2 true", "0.0 S2 completed",
      ]
    )
  }

  // MARK: Target and action, text fields (articles 000, 002 and 004)

  @Test func `target and action: each subscription adds a target, which its disposal removes`() {
    let button = Button()
    let first = recorder.record(button.taps, as: "S1")
    recorder.record(button.taps, as: "S2")
    #expect(recorder.lines.isEmpty)
    #expect(button.targetCount == 2)
    button.tap()
    first.dispose()
    #expect(button.targetCount == 1)
    button.tap()
    #expect(recorder.lines == ["0.0 S1 tap", "0.0 S2 tap", "0.0 S2 tap"])
  }

  @Test func `a text field sends its text at once, then each edit, and completes when it goes`() {
    do {
      let field = Property("a")
      recorder.record(field.signal, as: "text")
      field.value = "ab"
    }
    #expect(recorder.lines == ["0.0 text a", "0.0 text ab", "0.0 text completed"])
  }

  @Test func `a binding puts a value of its own in the place of none`() {
    let label = Property("")
    let status = Property<String?>("Thanks")
    label.bind(to: status.signal.map { $0 ?? "–" })
    #expect(label.value == "Thanks")
    status.value = nil
    #expect(label.value == "–")
  }

  // MARK: Delegates (articles 002 and 004)

  @Test func `a delegate forwards each call, with its arguments, to a subject`() {
    let alert = Alert()
    let delegate = AlertSubject()
    alert.setDelegate(delegate)
    recorder.record(delegate.clicks.signal.map { "\($0.button) of \($0.title)" }, as: "S")
    alert.click(1)
    alert.click(0)
    #expect(recorder.lines == ["0.0 S 1 of Alert", "0.0 S 0 of Alert"])
  }

  // MARK: Lifetimes (article 004)

  @Test func `what an owner holds in a scope is disposed when the owner goes`() {
    final class Owner: Sendable {
      let subscription: ScopedDisposable
      init(_ subscription: any Disposable) { self.subscription = ScopedDisposable(subscription) }
    }
    let subject = Subject<Int, Never>()
    do {
      let owner = Owner(recorder.record(subject.signal, as: "S"))
      subject.send(1)
      withExtendedLifetime(owner) {}
    }
    subject.send(2)
    #expect(recorder.lines == ["0.0 S 1"])
  }

  // MARK: Subscribing (articles 000 to 003)

  @Test func `each closure of a subscription may be left out`() {
    let seen = Recorder()
    let failing = Signal<Int, Trouble>.fail(Trouble(number: 7)).startWith(1)
    failing.subscribe()
    failing.subscribe(next: { seen.note("next \($0)") })
    failing.subscribe(failed: { seen.note("failed \($0.number)") })
    Signal<Int, Never>.just(2).subscribe(completed: { seen.note("completed") })
    #expect(seen.lines == ["0.0 next 1", "0.0 failed 7", "0.0 completed"])
  }

  @Test func `the state of a command can be read at once, and its work waited for`() async throws {
    let command = Command<Int, Int, Never> { .just(2 * $0) }
    #expect(await command.executing.first() == false)
    #expect(await command.enabled.first() == true)
    #expect(try await command(21) == 42)
  }
}

/// A service of the time before signals: it answers by calling back.
private final class LoginService: Sendable {
  struct Rejection: Error {}
  typealias Callback = @Sendable (Result<Bool, Rejection>) -> Void

  private let callbacks = Lock<[Callback]>([])
  private let cancellations = Lock<[Int]>([])

  var callCount: Int { callbacks.withLock { $0.count } }
  var canceled: [Int] { cancellations.withLock { $0 } }

  func signIn(_ name: String, then callback: @escaping Callback) -> Int {
    callbacks.withLock { callbacks in
      callbacks.append(callback)
      return callbacks.count - 1
    }
  }

  func cancel(_ call: Int) {
    cancellations.withLock { $0.append(call) }
  }

  func answer(_ call: Int, _ result: Result<Bool, Rejection>) {
    callbacks.withLock { $0[call] }(result)
  }
}

/// A control that calls the actions of its targets.
private final class Button: Sendable {
  private struct State {
    var actions: [Int: @Sendable () -> Void] = [:]
    var lastID = 0
  }

  private let state = Lock(State())

  var targetCount: Int { state.withLock { $0.actions.count } }

  func addTarget(_ action: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.actions[state.lastID] = action
      return state.lastID
    }
  }

  func removeTarget(_ id: Int) {
    state.withLock { _ = $0.actions.removeValue(forKey: id) }
  }

  func tap() {
    let actions = state.withLock { state in
      state.actions.sorted { $0.key < $1.key }.map(\.value)
    }
    for action in actions { action() }
  }

  /// What ReactiveObjC makes of a control's events.
  var taps: Signal<String, Never> {
    Signal { [weak self] observer in
      guard let self else { return nil }
      let id = addTarget { observer.send("tap") }
      return AnyDisposable { [weak self] in self?.removeTarget(id) }
    }
  }
}

/// Somebody who tells a delegate.
private final class Alert: Sendable {
  private let delegate = Lock<(any AlertDelegate)?>(nil)

  func setDelegate(_ delegate: any AlertDelegate) {
    self.delegate.withLock { $0 = delegate }
  }

  func click(_ button: Int) {
    delegate.withLock { $0 }?.alert("Alert", didClick: button)
  }
}

private protocol AlertDelegate: Sendable {
  func alert(_ title: String, didClick button: Int)
}

/// The delegate that is a signal.
private final class AlertSubject: AlertDelegate {
  let clicks = Subject<(title: String, button: Int), Never>()

  func alert(_ title: String, didClick button: Int) {
    clicks.send((title, button))
  }
}
