internal import HTTPSignals
internal import MailingList

/// Whether the service is well: the first sentences of the board.
struct BoardCondition: Hashable, Sendable {
  enum Level: String, Sendable {
    case well
    case warning
    case failing
  }

  let level: Level
  /// The condition, and since when.
  let text: String
  /// The remedy; empty if all is well.
  let advice: String

  /// The age of a waiting mail from which on it is late.
  private static let lateAge: Duration = .seconds(15 * 60)
  /// The number of requests in 24 hours from which on their confirmations are compared.
  private static let comparedRequests = 50

  private init(_ level: Level, _ text: String, _ advice: String = "") {
    self.level = level
    self.text = text
    self.advice = advice
  }

  /// Finds the worst condition, from sign-ups to mail to what people do and to webhooks.
  init(_ numbers: BoardNumbers) {
    self =
      Self.storage(numbers) ?? Self.relay(numbers) ?? Self.held(numbers)
      ?? Self.unconfirmed(numbers) ?? Self.late(numbers) ?? Self.undelivered(numbers)
      ?? Self.unreadable(numbers)
      ?? Self.well(numbers)
  }

  private static func storage(_ numbers: BoardNumbers) -> BoardCondition? {
    guard let obstacle = numbers.obstacle else { return nil }
    if obstacle.part == "draining" {
      return BoardCondition(.warning, "The service is stopping, and takes no more sign-ups.")
    }
    let since = obstacle.since.flatMap { Timestamp(importing: $0) }
      .map { " since \($0.spoken(at: numbers.now))" }
    return BoardCondition(
      .failing,
      "Sign-ups have not been stored\(since ?? "").",
      "People see a page that asks them to try again. The log names the cause: look for "
        + "“sign-ups cannot be stored”."
    )
  }

  private static func relay(_ numbers: BoardNumbers) -> BoardCondition? {
    guard numbers.relay == .paused else { return nil }
    let waiting = numbers.backlog?.waiting ?? 0
    let since = numbers.backlog?.oldest.map { " since \($0.spoken(at: numbers.now))" }
    return BoardCondition(
      .failing,
      "Sign-ups are stored, but no mail leaves: \(waiting.of("mail")) "
        + "\(waiting == 1 ? "has" : "have") been waiting\(since ?? "").",
      "The relay does not accept mail. Check it and --smtp-url; the log has its replies. No mail is "
        + "lost: all of them leave when it is back."
    )
  }

  private static func held(_ numbers: BoardNumbers) -> BoardCondition? {
    guard let held = numbers.backlog?.held, held > 0 else { return nil }
    let hour = numbers.now.hour
    let requests = numbers.tallies.map { tallies in
      let yesterday = tallies[.requested, .hour, hour - 24]
      return " This hour has \(tallies[.requested, .hour, hour].of("sign-up")), the same hour "
        + "yesterday had \(yesterday.grouped)."
    }
    return BoardCondition(
      .warning,
      "Sign-ups are stored, but \(held.of("mail")) \(held == 1 ? "is" : "are") held: people do not "
        + "confirm, so the mail budget is spent.\(requests ?? "")",
      "This may be an attack on the form. Held mails leave as people confirm. “enlist held” shows "
        + "them, and releases or drops them."
    )
  }

  private static func unconfirmed(_ numbers: BoardNumbers) -> BoardCondition? {
    let hour = numbers.now.hour
    guard numbers.relay != nil, let tallies = numbers.tallies,
      tallies.sum(.requested, hours: 24, through: hour) >= comparedRequests,
      let rate = tallies.rate(through: hour), let usual = tallies.usualRate(before: hour),
      rate * 2 < usual
    else { return nil }
    return BoardCondition(
      .warning,
      "Sign-ups are stored and mail leaves, but few people confirm: \(rate) per 100 requests in 24 "
        + "hours, usually \(usual).",
      "Mails may end up as spam, or the form is under attack. Look at the latest events below."
    )
  }

  private static func late(_ numbers: BoardNumbers) -> BoardCondition? {
    guard let age = numbers.age, age >= lateAge, let waiting = numbers.backlog?.waiting else {
      return nil
    }
    return BoardCondition(
      .warning,
      "Sign-ups are stored, but mail is late: \(waiting.of("mail")) "
        + "\(waiting == 1 ? "waits" : "wait"), the oldest for \(age.short).",
      "The relay puts mails off. They are tried again; the log has its replies."
    )
  }

  private static func undelivered(_ numbers: BoardNumbers) -> BoardCondition? {
    // One that the operator has disabled has no failure.
    let found = numbers.webhooks?.webhooks.filter {
      $0.health.status != .active && $0.health.failingSince != nil
    }
    guard let webhook = found?.max(by: { $0.health.status.rawValue < $1.health.status.rawValue })
    else { return nil }
    let since = webhook.health.failingSince.map { " since \($0.spoken(at: numbers.now))" } ?? ""
    let isDisabled = webhook.health.status == .disabled
    let mail = numbers.relay == nil ? "" : " and mail leaves"
    return BoardCondition(
      .warning,
      "Sign-ups are stored\(mail), but the webhook \(webhook.id) has accepted no "
        + "events\(since)\(isDisabled ? ", and is disabled" : "").",
      "No event is lost: “enlist webhooks show \(webhook.id)” has the responses"
        + (isDisabled ? ", and “enlist webhooks enable” sends what is missing." : ".")
    )
  }

  private static func unreadable(_ numbers: BoardNumbers) -> BoardCondition? {
    guard numbers.tallies == nil || numbers.subscribers == nil || numbers.events == nil else {
      return nil
    }
    return BoardCondition(
      .warning, "Sign-ups are stored, but some numbers could not be read in time.",
      "They are read again in a few seconds. If that lasts, the log names the cause.")
  }

  private static func well(_ numbers: BoardNumbers) -> BoardCondition {
    let isEmpty = numbers.subscribers?.values.allSatisfy { $0 == 0 } ?? false
    let mail = numbers.relay == nil ? [] : ["mail leaves"]
    let webhooks = numbers.webhooks?.webhooks.isEmpty == false ? ["webhooks deliver"] : []
    let others = mail + webhooks
    let last = others.last.map { " and \($0)" } ?? ""
    return BoardCondition(
      .well,
      "All is well: \((["sign-ups are stored"] + others.dropLast()).joined(separator: ", "))\(last)."
        + (isEmpty ? " No one is on the list yet." : "")
    )
  }
}
