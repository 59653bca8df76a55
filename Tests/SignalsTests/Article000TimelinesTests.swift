import Signals
import SignalsTesting
import Testing

/// The timelines of article 000 on hot and cold signals, event for event.
@Suite struct Article000TimelinesTests {
  private let scheduler = TestScheduler()
  private let recorder: Recorder

  init() {
    recorder = Recorder(on: scheduler)
  }

  /// Does something at a time, in milliseconds.
  private func at(_ milliseconds: Int, _ work: @escaping @Sendable () -> Void) {
    scheduler.schedule(after: .milliseconds(milliseconds), work)
  }

  /// Subscribes and records at a time, in milliseconds.
  private func record(_ signal: Signal<String, Never>, as name: String, at milliseconds: Int) {
    at(milliseconds) { [recorder] in recorder.record(signal, as: name) }
  }

  /// A cold signal of values at times, in seconds, which says when it is subscribed.
  private func cold(_ values: [(second: Int, values: [String])]) -> Signal<String, Never> {
    Signal { [recorder, scheduler] observer in
      recorder.note("cold subscribed")
      let works = CompositeDisposable()
      for (second, current) in values {
        let isLast = second == values.last?.second
        works.add(
          scheduler.schedule(after: .seconds(second)) {
            for value in current { observer.send(value) }
            if isLast { observer.complete() }
          }
        )
      }
      return works
    }
  }

  /// Source P of the article.
  private var animals: Signal<String, Never> {
    cold([(1, ["🦅"]), (2, ["🐊"]), (3, ["🐺"])])
  }

  /// Source R of the article.
  private var swimmers: Signal<String, Never> {
    cold([(1, ["🐊", "🐬"]), (2, ["🦈"])])
  }

  @Test func `T1, a cold signal begins anew for each subscriber`() {
    let signal = Signal<String, Never> { [recorder] observer in
      recorder.note("begin sending")
      for animal in ["🐱", "🐶", "🐰"] { observer.send(animal) }
      observer.complete()
      return nil
    }
    record(signal, as: "S1", at: 200)
    record(signal, as: "S2", at: 1_000)
    scheduler.run()
    #expect(
      recorder.lines == [
        "0.2 begin sending", "0.2 S1 🐱", "0.2 S1 🐶", "0.2 S1 🐰", "0.2 S1 completed",
        "1.0 begin sending", "1.0 S2 🐱", "1.0 S2 🐶", "1.0 S2 🐰", "1.0 S2 completed",
      ]
    )
  }

  /// What T2, T3, T3b and T4 do to their subjects.
  private func play(_ subject: some SubjectProtocol<String, Never>) -> [String] {
    record(subject.signal, as: "S1", at: 200)
    at(1_000) {
      subject.send("🐸")
      subject.send("🐟")
    }
    record(subject.signal, as: "S2", at: 1_200)
    at(2_000) { subject.send("🐍") }
    scheduler.run()
    return recorder.lines
  }

  @Test func `T2, a subject sends to those who are there`() {
    #expect(
      play(Subject()) == [
        "1.0 S1 🐸", "1.0 S1 🐟",
        "2.0 S1 🐍", "2.0 S2 🐍",
      ]
    )
  }

  @Test func `T3, a replay subject hands over what was sent before`() {
    #expect(
      play(ReplaySubject()) == [
        "1.0 S1 🐸", "1.0 S1 🐟",
        "1.2 S2 🐸", "1.2 S2 🐟",
        "2.0 S1 🐍", "2.0 S2 🐍",
      ]
    )
  }

  @Test func `T3b, a replay subject of one value hands over the last`() {
    #expect(
      play(ReplaySubject(capacity: 1)) == [
        "1.0 S1 🐸", "1.0 S1 🐟",
        "1.2 S2 🐟",
        "2.0 S1 🐍", "2.0 S2 🐍",
      ]
    )
  }

  @Test func `T4, a behavior subject has a value from the beginning`() {
    #expect(
      play(BehaviorSubject("🐢")) == [
        "0.2 S1 🐢",
        "1.0 S1 🐸", "1.0 S1 🐟",
        "1.2 S2 🐟",
        "2.0 S1 🐍", "2.0 S2 🐍",
      ]
    )
  }

  @Test(arguments: [true, false])
  func `T5, publish and connect share one subscription`(publishes: Bool) {
    let connection = publishes ? animals.publish() : animals.multicast(Subject())
    at(200) { connection.connect() }
    record(connection.signal, as: "S1", at: 1_000)
    record(connection.signal, as: "S2", at: 2_000)
    scheduler.run()
    #expect(
      recorder.lines == [
        "0.2 cold subscribed",
        "1.2 S1 🦅",
        "2.2 S1 🐊", "2.2 S2 🐊",
        "3.2 S1 🐺", "3.2 S2 🐺", "3.2 S1 completed", "3.2 S2 completed",
      ]
    )
  }

  @Test func `T6, autoconnect subscribes for the first subscriber`() {
    let signal = animals.publish().autoconnect()
    record(signal, as: "S1", at: 1_000)
    record(signal, as: "S2", at: 2_500)
    scheduler.run()
    #expect(
      recorder.lines == [
        "1.0 cold subscribed",
        "2.0 S1 🦅",
        "3.0 S1 🐊", "3.0 S2 🐊",
        "4.0 S1 🐺", "4.0 S2 🐺", "4.0 S1 completed", "4.0 S2 completed",
      ]
    )
  }

  @Test func `T7, replay subscribes now and repeats everything`() {
    let signal = swimmers.replay()
    record(signal, as: "S1", at: 1_200)
    record(signal, as: "S2", at: 2_200)
    scheduler.run()
    #expect(
      recorder.lines == [
        "0.0 cold subscribed",
        "1.2 S1 🐊", "1.2 S1 🐬",
        "2.0 S1 🦈", "2.0 S1 completed",
        "2.2 S2 🐊", "2.2 S2 🐬", "2.2 S2 🦈", "2.2 S2 completed",
      ]
    )
  }

  @Test func `T8, replayLast subscribes now and repeats the last value`() {
    let signal = swimmers.replayLast()
    record(signal, as: "S1", at: 1_200)
    record(signal, as: "S2", at: 2_200)
    scheduler.run()
    #expect(
      recorder.lines == [
        "0.0 cold subscribed",
        "1.2 S1 🐬",
        "2.0 S1 🦈", "2.0 S1 completed",
        "2.2 S2 🦈", "2.2 S2 completed",
      ]
    )
  }

  @Test func `T9, replayLazily subscribes for the first subscriber and repeats everything`() {
    let signal = swimmers.replayLazily()
    record(signal, as: "S1", at: 1_200)
    record(signal, as: "S2", at: 2_400)
    scheduler.run()
    #expect(
      recorder.lines == [
        "1.2 cold subscribed",
        "2.2 S1 🐊", "2.2 S1 🐬",
        "2.4 S2 🐊", "2.4 S2 🐬",
        "3.2 S1 🦈", "3.2 S2 🦈", "3.2 S1 completed", "3.2 S2 completed",
      ]
    )
  }
}
