import Signals
import MailingList
import SignalsTesting
import Testing

/// Tests of lookups and cache times, on virtual time.
@Suite final class DeliverabilityCheckTests {
  /// A lookup whose answers the test sends.
  private final class HoldingLookup: Sendable {
    private let state = Lock<[(domain: String, answer: Subject<DeliverabilityFinding, Never>)]>([])

    var domains: [String] { state.withLock { $0.map(\.domain) } }

    func lookUp(_ domain: String) -> Signal<DeliverabilityFinding, Never> {
      let answer = Subject<DeliverabilityFinding, Never>()
      state.withLock { $0.append((domain, answer)) }
      return answer.signal
    }

    func answer(_ index: Int, _ deliverability: Deliverability, for seconds: Int64? = nil) {
      let answer = state.withLock { $0[index].answer }
      answer.send(DeliverabilityFinding(deliverability, timeToLive: seconds.map { .seconds($0) }))
    }
  }

  private let lookup = HoldingLookup()
  private let scheduler = TestScheduler()

  /// Lets unanswered lookups time out, so that nothing waits forever.
  deinit { scheduler.advance(by: .seconds(60)) }

  private func check(
    _ change: (inout DeliverabilityCheck.Limits) -> Void = { _ in }
  ) -> DeliverabilityCheck {
    var limits = DeliverabilityCheck.Limits()
    change(&limits)
    return DeliverabilityCheck(lookup.lookUp, limits: limits, on: scheduler)
  }

  private func answers(_ signal: Signal<Deliverability, Never>) -> Answers {
    let answers = Answers()
    signal.subscribe(next: { answers.append("\($0)") }, completed: { answers.append("end") })
    return answers
  }

  private final class Answers: Sendable {
    private let lines = Lock<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test func `concurrent checks of a domain share one lookup`() {
    let check = check()
    let first = answers(check.deliverability(of: "a.example"))
    let second = answers(check.deliverability(of: "a.example"))
    #expect(lookup.domains == ["a.example"])
    lookup.answer(0, .deliverable)
    #expect(first.all == ["deliverable", "end"])
    #expect(second.all == first.all)
  }

  @Test func `a check without an answer within the budget is inconclusive and not cached`() {
    let check = check()
    let answers = answers(check.deliverability(of: "a.example"))
    scheduler.advance(by: .milliseconds(1499))
    #expect(answers.all.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(answers.all == ["unknown(MailingList.Deliverability.Doubt.timeout)", "end"])
    lookup.answer(0, .undeliverable(.noDomain))
    _ = check.deliverability(of: "a.example")
    #expect(lookup.domains.count == 2)
  }

  @Test(
    arguments: [
      (.deliverable, 1, 60), (.deliverable, 300, 300), (.deliverable, 90_000, 3600),
      (.deliverable, nil, 60), (.undeliverable(.noDomain), nil, 300),
      (.undeliverable(.nullMX), 9_000, 300),
      (.unknown(.serverFailure), nil, 0),
    ] as [(Deliverability, Int64?, Int64)]
  )
  func `a finding is cached for its lifetime`(_ answer: Deliverability, life: Int64?, held: Int64) {
    let check = check()
    _ = check.deliverability(of: "a.example")
    lookup.answer(0, answer, for: life)
    if held > 0 {
      scheduler.advance(by: .seconds(held) - .milliseconds(1))
      #expect(answers(check.deliverability(of: "a.example")).all == ["\(answer)", "end"])
      #expect(lookup.domains.count == 1)
      scheduler.advance(by: .milliseconds(1))
    }
    _ = check.deliverability(of: "a.example")
    #expect(lookup.domains.count == 2)
  }

  @Test func `a check beyond the maximum number of lookups is inconclusive`() {
    let check = check { $0.maximumLookups = 2 }
    for domain in ["a.example", "b.example"] { _ = check.deliverability(of: domain) }
    let third = answers(check.deliverability(of: "c.example"))
    #expect(third.all == ["unknown(MailingList.Deliverability.Doubt.busy)", "end"])
    #expect(lookup.domains.count == 2)
    lookup.answer(0, .deliverable)
    _ = check.deliverability(of: "c.example")
    #expect(lookup.domains.last == "c.example")
  }

  @Test func `a full cache evicts one other finding`() {
    let check = check { $0.maximumCached = 2 }
    let domains = ["a.example", "b.example", "c.example"]
    for (index, domain) in domains.enumerated() {
      _ = check.deliverability(of: domain)
      lookup.answer(index, .deliverable)
    }
    #expect(lookup.domains == domains)
    _ = check.deliverability(of: "c.example")
    #expect(lookup.domains == domains)
    for domain in domains { _ = check.deliverability(of: domain) }
    #expect(lookup.domains.count == 4)
  }
}
