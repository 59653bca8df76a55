import Signals
import SignalsTesting
import Testing

@Suite struct DerivedPropertyTests {
  @Test func `a derived value follows its property when it is read`() {
    let email = Property("ana")
    let isValid = email.map { $0.contains("@") }
    #expect(!isValid.value)
    email.value = "ana@example.com"
    #expect(isValid.value)
  }

  @Test func `a derived signal sends the current value, then one for each change`() {
    let count = Property(1)
    let recorder = Recorder()
    recorder.record(count.map { 10 * $0 }.signal, as: "S")
    count.value = 2
    #expect(recorder.lines == ["0.0 S 10", "0.0 S 20"])
  }

  @Test func `derived state has no subscription of its own`() {
    let calls = Counter()
    let count = Property(1)
    let derived = count.map { value in
      calls.increment()
      return value
    }
    count.value = 2
    #expect(calls.value == 0)
    #expect(derived.value == 2)
    #expect(calls.value == 1)
  }

  @Test func `two properties derive one`() {
    let name = Property("")
    let isBusy = Property(false)
    let mayLogIn = name.map { !$0.isEmpty }.combineLatest(with: isBusy) { $0 && !$1 }
    let recorder = Recorder()
    recorder.record(mayLogIn.signal.distinctUntilChanged(), as: "S")
    name.value = "ana"
    #expect(mayLogIn.value)
    isBusy.value = true
    #expect(!mayLogIn.value)
    #expect(recorder.lines == ["0.0 S false", "0.0 S true", "0.0 S false"])
    #expect(name.combineLatest(with: isBusy).value == ("ana", true))
  }

  @Test func `derived state does not keep its property, and has the last value after it`() {
    weak var gone: Property<Int>?
    let recorder = Recorder()
    let derived: DerivedProperty<Int>
    do {
      let property = Property(1)
      gone = property
      derived = property.readOnly.map { $0 + 1 }
      recorder.record(derived.signal, as: "S")
      property.value = 2
    }
    #expect(gone == nil)
    #expect(derived.value == 3)
    #expect(recorder.lines == ["0.0 S 2", "0.0 S 3", "0.0 S completed"])
  }
}
