import Signals
import SignalsTesting
import Testing

/// The code of the landing page, `Signals.md`, block by block, and what it prints.
@Suite struct TourTests {
  private let recorder = Recorder()

  /// What stands in the place of printing.
  private var print: @Sendable (String) -> Void {
    { [recorder] text in recorder.note(text) }
  }

  /// What was printed, as the page shows it.
  private var printed: [String] {
    recorder.lines.map { String($0.dropFirst(4)) }
  }

  @Test func `a cold signal does its work for each subscription`() {
    let print = print
    let greeting = Signal<String, Never> { observer in
      print("begins")
      observer.send("Hello")
      observer.complete()
      return nil
    }
    greeting.subscribe(next: { print("first: \($0)") })
    greeting.subscribe(next: { print("second: \($0)") })
    #expect(
      printed == [
        "begins",
        "first: Hello",
        "begins",
        "second: Hello",
      ]
    )
  }

  @Test func `disposal stops the work`() {
    let print = print
    let request = Signal<String, Never> { _ in
      print("opens")
      return AnyDisposable { print("cancels") }
    }
    let subscription = request.subscribe()
    subscription.dispose()
    #expect(
      printed == [
        "opens",
        "cancels",
      ]
    )
  }

  @Test func `a subject sends to those who are there`() {
    let print = print
    let news = Subject<String, Never>()
    news.send("nobody is there")
    news.signal.map { $0.uppercased() }.subscribe(next: { print($0) })
    news.send("snow")
    #expect(printed == ["SNOW"])
  }

  @Test func `a property sends its value and its changes`() {
    let print = print
    let email = Property("")
    let isValid = email.signal.map { $0.contains("@") }.distinctUntilChanged()
    isValid.subscribe(next: { print("valid: \($0)") })
    email.value = "ana"
    email.value = "ana@example.com"
    #expect(
      printed == [
        "valid: false",
        "valid: true",
      ]
    )
  }

  @Test func `a shared signal does its work once`() {
    let print = print
    let answer = Signal<Int, Never> { observer in
      print("sends a request")
      observer.send(202)
      observer.complete()
      return nil
    }
    let shared = answer.replayLazily()
    shared.subscribe(next: { print("first: \($0)") })
    shared.subscribe(next: { print("second: \($0)") })
    #expect(
      printed == [
        "sends a request",
        "first: 202",
        "second: 202",
      ]
    )
  }

  @Test func `the latest of several signals are combined`() {
    let print = print
    let name = Property("")
    let password = Property("")
    let mayLogIn = combineLatest(name.signal, password.signal) { !$0.isEmpty && !$1.isEmpty }
    mayLogIn.subscribe(next: { print($0 ? "may log in" : "may not") })
    name.value = "ana"
    password.value = "secret"
    #expect(
      printed == [
        "may not",
        "may not",
        "may log in",
      ]
    )
  }

  @Test func `a command does its work while it is enabled`() {
    let print = print
    let address = Property("")
    let subscribe = Command<String, Int, StoreError>(
      enabled: address.signal.map { $0.contains("@") }
    ) { address in
      .just(address.count)
    }
    subscribe.executionEvents.subscribe(next: { event in
      switch event {
      case .started: print("Sending request...")
      case .next: break
      case .completed: print("Thanks")
      case .failed: print("Error :(")
      }
    })
    subscribe.execute(address.value).subscribe(failed: { print("\($0)") })
    address.value = "ana@example.com"
    subscribe.execute(address.value)
    #expect(
      printed == [
        "notEnabled(Signals.NotEnabledError.disabled)",
        "Sending request...",
        "Thanks",
      ]
    )
  }

  @Test func `time passes when the test says so`() {
    let print = print
    let scheduler = TestScheduler()
    let ticks = Signal.interval(.seconds(1), on: scheduler).scan(0) { count, _ in count + 1 }
    let clock = ticks.subscribe(next: { print("tick \($0)") })
    scheduler.advance(by: .seconds(2))
    clock.dispose()
    #expect(
      printed == [
        "tick 1",
        "tick 2",
      ]
    )
  }

  @Test func `signals are awaited, and tasks are signals`() async {
    let print = print
    let square = Signal<Int, Never>.task { 6 * 7 }
    print("\(await square.first() ?? 0)")
    for await word in Signal<String, Never>(["a", "b"]).values { print(word) }
    #expect(
      printed == [
        "42",
        "a",
        "b",
      ]
    )
  }

  @Test func `the page shows the code of these tests, and what it prints`() throws {
    try expectListings(of: "Signals.md", count: 9, in: #filePath)
  }
}

private struct StoreError: Error {}
