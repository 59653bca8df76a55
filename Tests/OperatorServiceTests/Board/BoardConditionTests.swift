import HTTPSignals
import Testing

@testable import MailingList
@testable import Services

@Suite struct BoardConditionTests {
  /// 2027-01-15T08:00:00Z.
  private static let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  private static func numbers(_ change: (inout BoardNumbers) -> Void = { _ in }) -> BoardNumbers {
    var numbers = BoardNumbers(now: now, start: now, listName: "News", period: .hours)
    numbers.subscribers = [.subscribed: 3]
    numbers.backlog = backlog()
    numbers.tallies = TallyTable([])
    numbers.events = []
    numbers.relay = .working
    change(&numbers)
    return numbers
  }

  private static func backlog(_ waiting: Int = 0, minutes: Int = 0, held: Int = 0) -> OutboxBacklog
  {
    OutboxBacklog(
      waiting: waiting, oldest: waiting == 0 ? nil : now.adding(.seconds(-60 * minutes)),
      held: held, isServedElsewhere: false)
  }

  /// Webhooks with states, which have failed for two hours.
  private static func webhooks(_ states: Webhook.Status...) -> WebhookList {
    let webhooks = states.enumerated().map { index, status in
      Webhook(
        id: "w\(index)", url: "https://example.org/\(index)", createdAt: now,
        health: .init(status: status, failures: 5, failingSince: now.adding(.seconds(-7200))))
    }
    return WebhookList(epoch: "e", newest: 5, webhooks: webhooks)
  }

  /// A week in which of 100 people 60 confirm each day, and a day in which a number do.
  private static func tallies(confirmedToday: Int64) -> TallyTable {
    TallyTable(
      (0...7).flatMap { day -> [Tally] in
        let hour = now.hour - 24 * Int64(day)
        return [
          Tally(.requested, .hour, start: hour, count: 100),
          Tally(.confirmed, .hour, start: hour, count: day == 0 ? confirmedToday : 60),
        ]
      }
    )
  }

  @Test func `all is well if sign-ups are stored and mail leaves`() {
    let well = BoardCondition(Self.numbers())
    #expect(well.level == .well)
    #expect(well.text == "All is well: sign-ups are stored and mail leaves.")
    #expect(
      BoardCondition(Self.numbers { $0.relay = nil }).text == "All is well: sign-ups are stored.")
    #expect(
      BoardCondition(Self.numbers { $0.webhooks = Self.webhooks(.active) }).text
        == "All is well: sign-ups are stored, mail leaves and webhooks deliver."
    )
    #expect(
      BoardCondition(Self.numbers { $0.subscribers = [:] }).text
        .hasSuffix("No one is on the list yet.")
    )
  }

  @Test func `the worst condition is named, since when, and what to do`() {
    var numbers = Self.numbers()
    func expect(_ level: BoardCondition.Level, _ text: String) {
      let condition = BoardCondition(numbers)
      #expect(condition.level == level)
      #expect(condition.text.hasPrefix(text), "\(condition.text)")
      #expect(!condition.advice.isEmpty)
    }
    numbers.events = nil
    expect(.warning, "Sign-ups are stored, but some numbers could not be read")
    numbers.webhooks = Self.webhooks(.active, .failing)
    expect(
      .warning,
      "Sign-ups are stored and mail leaves, but the webhook w1 has accepted no events since 06:00 UTC."
    )
    numbers.webhooks = Self.webhooks(.failing, .disabled)
    expect(
      .warning,
      "Sign-ups are stored and mail leaves, but the webhook w1 has accepted no events since 06:00 "
        + "UTC, and is disabled."
    )
    numbers.backlog = Self.backlog(1, minutes: 15)
    expect(.warning, "Sign-ups are stored, but mail is late: 1 mail waits, the oldest for 15 min.")
    numbers.tallies = Self.tallies(confirmedToday: 29)
    expect(.warning, "Sign-ups are stored and mail leaves, but few people confirm: 29 per 100")
    numbers.backlog = Self.backlog(held: 480)
    expect(.warning, "Sign-ups are stored, but 480 mails are held")
    numbers.backlog = Self.backlog(2, minutes: 1500, held: 480)
    numbers.relay = .paused
    expect(
      .failing,
      "Sign-ups are stored, but no mail leaves: 2 mails have been waiting since Jan 14, 07:00 UTC.")
    var problem = ProblemDetails(KeyProblem.hostNotAllowed)
    problem.part = "storage"
    problem.since = "2027-01-15T07:58:00.000Z"
    numbers.obstacle = problem
    expect(.failing, "Sign-ups have not been stored since 07:58 UTC.")
  }

  @Test func `a day like the others, and a mail of some minutes, are well`() {
    for change: (inout BoardNumbers) -> Void in [
      { $0.tallies = Self.tallies(confirmedToday: 30) },
      { $0.backlog = Self.backlog(1, minutes: 14) },
      { $0.webhooks = Self.webhooks(.active) },
      // Too few people to say anything.
      { $0.tallies = TallyTable([Tally(.requested, .hour, start: Self.now.hour, count: 49)]) },
    ] {
      #expect(BoardCondition(Self.numbers(change)).level == .well)
    }
  }

  @Test func `the page compares with yesterday and with the week, and keeps pending apart`() {
    let cards = Self.numbers {
      $0.subscribers = [.subscribed: 1_234_567, .pending: 12]
      $0.tallies = Self.tallies(confirmedToday: 30)
      $0.backlog = Self.backlog(10_000, minutes: 65, held: 1)
    }.cards
    #expect(
      cards.map { "\($0.name): \($0.value), \($0.note)" } == [
        "Subscribed: 1,234,567, 390 confirmed, 0 left in 7 days",
        "Pending: 12, not confirmed, not counted",
        "Sign-ups this hour: 100, 100 in this hour yesterday",
        "Confirmed per 100: 30, in 24 hours; usually 60",
        "Mail waiting: 10,000, or more; the oldest for 1 h 5 min",
        "Mail held: 1, the budget is spent",
      ]
    )
  }

  @Test func `texts from outside are escaped, and addresses are masked`() {
    let response = BoardPage.response(
      Self.numbers {
        $0.events = [
          ListEvent(
            position: 1, time: Self.now, kind: .confirmed, subscriberID: 1, state: .subscribed,
            previous: .pending, actor: .key(id: "<b>"), detail: nil,
            subscriber: Subscriber(
              id: 1, address: "ana<i>@example.org", state: .subscribed, locale: nil,
              createdAt: Self.now, confirmedAt: nil, unsubscribedAt: nil, suppression: nil,
              fields: nil))
        ]
      }
    )
    #expect(response.text.contains("<span>a…@example.org</span>"))
    #expect(response.text.contains("by the key &lt;b&gt;"))
    #expect(!response.text.contains("ana"))
  }

  @Test func `a plot states its finding, and a table has the same numbers`() {
    let page = BoardPage.response(Self.numbers { $0.tallies = Self.tallies(confirmedToday: 30) })
      .text
    #expect(
      page.contains(
        """
        <title id="series">In 48 hours, 200 sign-ups, 90 confirmations, and 0 left; most sign-ups, \
        100, in the hour from Jan 14, 08:00.</title>
        """
      )
    )
    #expect(
      page.contains("<th scope=\"row\">Jan 15, 08:00</th><td>100</td><td>30</td><td>0</td></tr>"))
  }
}
