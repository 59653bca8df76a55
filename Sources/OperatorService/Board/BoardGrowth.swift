internal import MailingList

/// Whether the list grows, and with real people: the numbers at the top of the board.
struct BoardGrowth {
  struct Card {
    let name: String
    let value: String
    let note: String
  }

  private(set) var cards: [Card] = []

  init(_ numbers: BoardNumbers) {
    let hour = numbers.now.hour
    func add(_ name: String, _ value: Int?, _ note: String) {
      cards.append(Card(name: name, value: value?.grouped ?? "–", note: note))
    }
    let hasMail = numbers.relay != nil
    let tallies = numbers.tallies
    let week = tallies.map { tallies in
      let new = tallies.sum(hasMail ? .confirmed : .requested, hours: 168, through: hour)
      let left = tallies.sum(.left, hours: 168, through: hour)
      return "\(new.grouped) \(hasMail ? "confirmed" : "signed up"), \(left.grouped) left in 7 days"
    }
    add("Subscribed", numbers.subscribers.map { $0[.subscribed] ?? 0 }, week ?? "")
    if hasMail || numbers.subscribers?[.pending] ?? 0 > 0 {
      add("Pending", numbers.subscribers.map { $0[.pending] ?? 0 }, "not confirmed, not counted")
    }
    add(
      "Sign-ups this hour", tallies?[.requested, .hour, hour],
      tallies.map { "\($0[.requested, .hour, hour - 24].grouped) in this hour yesterday" } ?? "")
    guard hasMail else { return }
    add(
      "Confirmed per 100", tallies?.rate(through: hour),
      tallies?.usualRate(before: hour).map { "in 24 hours; usually \($0)" } ?? "in 24 hours")
    let oldest = numbers.age.map { "the oldest for \($0.short)" } ?? "nothing is late"
    let held = numbers.backlog?.held ?? 0
    let limit = OutboxBacklog.maximumCount
    add(
      "Mail waiting", numbers.backlog?.waiting,
      (numbers.backlog?.waiting == limit ? "or more; " : "") + oldest)
    add(
      "Mail held", numbers.backlog?.held, held == 0 ? "the budget has room" : "the budget is spent")
  }
}
