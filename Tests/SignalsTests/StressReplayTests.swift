import Signals
import Testing

/// Subscribing while others send: neither gap nor duplicate.
@Suite struct StressReplayTests {
  private let threads = ThreadTeam(8)

  @Test func `a replay of everything is what the first observer saw, for every late one`() {
    let subject = ReplaySubject<Int, Never>()
    let seen = churn(subject)
    #expect(seen.late.count == 4 * 20)
    #expect(seen.late.allSatisfy { $0 == seen.first })
  }

  @Test(arguments: [0, 1, 16])
  func `a replay of the last values is the end of what the first observer saw`(capacity: Int) {
    let subject = ReplaySubject<Int, Never>(capacity: capacity)
    let seen = churn(subject)
    #expect(seen.late.allSatisfy { $0 == seen.first.suffix($0.count) })
  }

  @Test func `a behavior subject's value and what follows are the end of what was sent`() {
    let subject = BehaviorSubject<Int, Never>(-1)
    let seen = churn(subject)
    #expect(seen.late.allSatisfy { !$0.isEmpty && $0 == seen.first.suffix($0.count) })
  }

  @Test func `a plain subject's late observer sees the end of what was sent`() {
    let subject = Subject<Int, Never>()
    let seen = churn(subject)
    #expect(seen.late.allSatisfy { $0 == seen.first.suffix($0.count) })
  }

  @Test func `a replay that is subscribed within a callback has neither gap nor duplicate`() {
    let subject = ReplaySubject<Int, Never>()
    let first = Notes<Int>()
    let late = Notes<Notes<Int>>()
    subject.signal.subscribe(next: { first.add($0) })
    subject.signal.subscribe(next: { value in
      guard value.isMultiple(of: 50) else { return }
      let notes = Notes<Int>()
      late.add(notes)
      subject.signal.subscribe(next: { notes.add($0) })
    })
    threads.run { thread in
      for number in 0..<100 { subject.send(thread * 1_000 + number) }
    }
    subject.complete()
    #expect(late.all.count == 16)
    #expect(late.all.allSatisfy { $0.all == first.all })
  }

  /// Four threads send, four subscribe; returns what the first observer and the late ones saw.
  private func churn(_ subject: some SubjectProtocol<Int, Never>) -> (first: [Int], late: [[Int]]) {
    let first = Notes<Int>()
    let late = Notes<Notes<Int>>()
    subject.signal.subscribe(next: { first.add($0) })
    threads.run { thread in
      if thread < 4 {
        for number in 0..<1_000 { subject.send(thread * 1_000 + number) }
      } else {
        for _ in 0..<20 {
          let notes = Notes<Int>()
          late.add(notes)
          subject.signal.subscribe(next: { notes.add($0) })
        }
      }
    }
    return (first.all, late.all.map(\.all))
  }
}
