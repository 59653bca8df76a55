import Testing

@testable import MailingList

@Suite struct TallyTests {
  private func event(_ kind: ListEvent.Kind, _ milliseconds: Int64) -> ListEvent {
    ListEvent(
      position: 1, time: Timestamp(millisecondsSince1970: milliseconds), kind: kind,
      subscriberID: 1, state: .subscribed, previous: nil, actor: .form, detail: nil, subscriber: nil
    )
  }

  @Test func `each event counts in its hour and its day of UTC`() {
    let day: Int64 = 86_400_000
    let tallies = Tally.counting([
      event(.requested, day), event(.requested, 2 * day - 1), event(.requested, 2 * day),
      event(.erased, day), event(.expired, day + 1),
    ])
    #expect(
      tallies == [
        Tally(.deleted, .hour, start: 24, count: 2), Tally(.requested, .hour, start: 24, count: 1),
        Tally(.requested, .hour, start: 47, count: 1),
        Tally(.requested, .hour, start: 48, count: 1),
        Tally(.deleted, .day, start: 24, count: 2), Tally(.requested, .day, start: 24, count: 2),
        Tally(.requested, .day, start: 48, count: 1),
      ]
    )
  }

  @Test func `every kind of event but one has a series`() {
    let uncounted = ListEvent.Kind.allCases.filter { Tally.counting([event($0, 0)]).isEmpty }
    #expect(uncounted == [.released])
  }
}
