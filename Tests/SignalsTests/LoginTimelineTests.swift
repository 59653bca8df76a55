import Signals
import SignalsTesting
import Testing

/// The login page of article 000: two fields, a button, a hint and a progress display.
private final class LoginPage: Sendable {
  let username = Property("")
  let password = Property("")
  let hint = Property<String?>(nil)
  let isButtonEnabled = Property(false)
  let taps = Subject<Void, Never>()
  let loginCommand: Command<String, String, LoginError>

  init(_ recorder: Recorder, login: @escaping @Sendable () -> Signal<String, LoginError>) {
    let isUsernameValid = username.signal.map { !$0.isEmpty }
    let isPasswordValid = password.signal.map { !$0.isEmpty }
    recorder.record(isUsernameValid.map { $0 ? "clear" : "yellow" }, as: "username")
    recorder.record(isPasswordValid.map { $0 ? "clear" : "yellow" }, as: "password")

    let mayLogIn = combineLatest(isUsernameValid, isPasswordValid) { $0 && $1 }
    loginCommand = Command(enabled: mayLogIn) { input in
      recorder.note("get input value is \(input)")
      return login()
    }
    recorder.record(isButtonEnabled.signal.skip(1), as: "button")
    recorder.record(hint.signal.skip(1).map { $0 ?? "nil" }, as: "hint")
    isButtonEnabled.bind(to: mayLogIn)

    loginCommand.executionSignals.switchToLatest().subscribe(next: { [hint, isButtonEnabled] name in
      hint.value = "\(name),欢迎回来!"
      isButtonEnabled.value = true
    })
    loginCommand.errors.subscribe(next: { [hint, isButtonEnabled] error in
      hint.value = error.hint
      isButtonEnabled.value = true
    })
    loginCommand.executing.skip(1).subscribe(next: { isExecuting in
      recorder.note(isExecuting ? "HUD shown" : "HUD dismissed")
    })
    taps.signal
      .do(next: { [hint, isButtonEnabled] in
        isButtonEnabled.value = false
        hint.value = ""
      })
      .subscribe(next: { [loginCommand] in
        loginCommand.execute("🍎").subscribe(failed: { error in
          if case .notEnabled(let rejection) = error { recorder.note("refused, \(rejection)") }
        })
      })
  }
}

private struct LoginError: Error {
  let hint: String
}

@Suite struct LoginTimelineTests {
  @Test func `T14, the login page shows what its command tells, event for event`() {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    // The service takes a second; the first login succeeds, the second does not.
    let page = LoginPage(recorder) {
      scheduler.now < .seconds(5)
        ? Signal.just("Bob").delay(.seconds(1), on: scheduler)
        : Signal.never.timeout(after: .seconds(1), on: scheduler, with: LoginError(hint: "hint!"))
    }
    scheduler.schedule(after: .seconds(1)) { page.username.value = "bob" }
    scheduler.schedule(after: .seconds(2)) { page.password.value = "secret" }
    for milliseconds in [3_000, 3_500, 5_000] {
      scheduler.schedule(after: .milliseconds(milliseconds)) { page.taps.send(()) }
    }
    scheduler.run()
    #expect(
      recorder.lines == [
        "0.0 username yellow", "0.0 password yellow", "0.0 button false",
        "1.0 username clear", "1.0 button false",
        "2.0 password clear", "2.0 button true",
        "3.0 button false", "3.0 hint ",
        "3.0 get input value is 🍎", "3.0 HUD shown",
        "3.5 button false", "3.5 hint ", "3.5 refused, executing",
        "4.0 hint Bob,欢迎回来!", "4.0 button true", "4.0 HUD dismissed",
        "5.0 button false", "5.0 hint ",
        "5.0 get input value is 🍎", "5.0 HUD shown",
        "6.0 hint hint!", "6.0 button true", "6.0 HUD dismissed",
      ]
    )
  }
}
