import Signals
import SignalsTesting
import Testing

/// Subjects and properties wherever a signal goes.
@Suite struct SignalConvertibleTests {
  private let name = Property("ana")
  private let age = Property(7)
  private let taps = Subject<Int, Never>()
  private let recorder = Recorder()

  @Test func `properties are combined, also with signals, subjects, and what can fail`() {
    recorder.record(combineLatest(name, age) { "\($0) \($1)" }, as: "2")
    recorder.record(combineLatest(name, age).map { "\($0) \($1)" }, as: "pair")
    recorder.record(combineLatest(name, age, name) { "\($0) \($1) \($2)" }, as: "3")
    recorder.record(combineLatest(name.signal, age) { "\($0) \($1)" }, as: "mixed")
    recorder.record(zip(name, age) { "\($0) \($1)" }, as: "zip")
    let failing = Signal<Int, Trouble>.fail(Trouble())
    recorder.record(combineLatest(name, failing) { "\($0) \($1)" }, as: "failing")
    #expect(
      recorder.lines == [
        "0.0 2 ana 7", "0.0 pair ana 7", "0.0 3 ana 7 ana", "0.0 mixed ana 7", "0.0 zip ana 7",
        "0.0 failing failed Trouble(number: 0)",
      ]
    )
  }

  @Test func `a subject has the operators, and is not kept alive by them`() {
    weak var seen: Subject<Int, Never>?
    do {
      let subject = Subject<Int, Never>()
      seen = subject
      recorder.record(subject.map { $0 + 1 }.filter { $0 > 2 }, as: "S")
      recorder.record(subject.flatMap { Signal<Int, Trouble>.just(10 * $0) }, as: "F")
      recorder.record(subject.withLatest(from: age) { $0 * $1 }, as: "L")
      subject.send(1)
      subject.send(2)
    }
    #expect(
      recorder.lines == [
        "0.0 F 10", "0.0 L 7", "0.0 S 3", "0.0 F 20", "0.0 L 14",
      ]
    )
    #expect(seen == nil)
  }

  @Test func `a property takes the place of the other signal`() {
    let numbers = Signal<Int, Trouble>([1, 2])
    recorder.record(numbers.withLatest(from: name) { "\($1) \($0)" }, as: "L")
    recorder.record(numbers.take(until: age), as: "T")
    recorder.record(Signal<Int, Never>.empty.merge(with: taps), as: "M")
    taps.send(3)
    #expect(
      recorder.lines == [
        "0.0 L ana 1", "0.0 L ana 2", "0.0 L completed", "0.0 T completed", "0.0 M 3",
      ]
    )
  }

  @Test func `a property enables a command`() {
    let isValid = Property(false)
    let login = Command<Int, Int, Never>(enabled: isValid) { .just($0) }
    let logout = Command<Int, Int, Trouble>(enabled: isValid.map { !$0 }) { .just($0) }
    #expect(!login.isEnabled)
    #expect(logout.isEnabled)
    isValid.value = true
    #expect(login.isEnabled)
    #expect(!logout.isEnabled)
  }
}
