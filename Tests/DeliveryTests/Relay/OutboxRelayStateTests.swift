import EmailAddresses
import MailingList
import Testing

@testable import Delivery

@Suite struct OutboxRelayStateTests {
  private let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
  private var state = OutboxRelayState.sample()

  @Test mutating func `a change during a transaction leads to another claim`() {
    #expect(Self.text(state.mailsMayBeDue()) == ["settle 0, claim 2"])
    #expect(Self.text(state.mailsMayBeDue()) == [])
    #expect(Self.text(state.transacted(Self.batch(), at: now)) == ["settle 0, claim 2"])
    #expect(Self.text(state.transacted(Self.batch(), at: now)) == [])
  }

  @Test mutating func `results that arrive during a transaction are settled together`() throws {
    let mails = [try ClaimedMail.random(), try ClaimedMail.random()]
    _ = state.mailsMayBeDue()
    #expect(Self.text(state.transacted(Self.batch(mails), at: now)) == ["deliver", "deliver"])
    _ = state.mailsMayBeDue()
    #expect(Self.text(state.delivered(mails[0], nil, at: now)) == ["sent", "settle 1, claim 1"])
    #expect(Self.text(state.delivered(mails[1], nil, at: now)) == ["sent"])
    #expect(Self.text(state.transacted(Self.batch(), at: now)) == ["settle 1, claim 2"])
  }

  @Test mutating func `settlements of a failed transaction are in the next one`() throws {
    let mail = try ClaimedMail.random()
    _ = state.mailsMayBeDue()
    _ = state.transacted(Self.batch([mail]), at: now)
    #expect(Self.text(state.delivered(mail, nil, at: now)) == ["sent", "settle 1, claim 2"])
    #expect(
      Self.text(state.transactionFailed(.full)) == ["store failed", "pause store 1.0 seconds"])
    #expect(Self.text(state.mailsMayBeDue()) == [])
    #expect(Self.text(state.storePauseEnded()) == ["settle 1, claim 2"])
    #expect(Self.text(state.transactionFailed(.full)) == ["pause store 2.0 seconds"])
  }

  @Test mutating func `the result of a canceled delivery is ignored`() throws {
    let mail = try ClaimedMail.random()
    _ = state.mailsMayBeDue()
    _ = state.transacted(Self.batch([mail]), at: now)
    _ = state.drain()
    #expect(Self.text(state.drainTimeEnded(at: now)) == ["cancel", "settle 1, claim 0"])
    #expect(Self.text(state.delivered(mail, nil, at: now)) == [])
    #expect(Self.text(state.transacted(Self.batch(), at: now)) == ["complete"])
  }

  @Test mutating func `mails that are claimed while draining begins are released`() throws {
    _ = state.mailsMayBeDue()
    #expect(Self.text(state.drain()) == [])
    let batch = Self.batch([try ClaimedMail.random()])
    #expect(Self.text(state.transacted(batch, at: now)) == ["settle 1, claim 0"])
    #expect(Self.text(state.transacted(Self.batch(), at: now)) == ["complete"])
  }

  @Test mutating func `mails that are claimed while a pause begins are released`() throws {
    let mails = [try ClaimedMail.random(), try ClaimedMail.random()]
    _ = state.mailsMayBeDue()
    _ = state.transacted(Self.batch([mails[0]]), at: now)
    #expect(Self.text(state.mailsMayBeDue()) == ["settle 0, claim 1"])
    #expect(
      Self.text(state.delivered(mails[0], .unavailable, at: now)) == [
        "paused", "pause 1.0 seconds",
      ]
    )
    #expect(Self.text(state.transacted(Self.batch([mails[1]]), at: now)) == ["settle 2, claim 0"])
  }

  @Test mutating func `a mail whose lease ends during its delivery is delivered once`() throws {
    let mail = try ClaimedMail.random()
    _ = state.mailsMayBeDue()
    _ = state.transacted(Self.batch([mail]), at: now)
    _ = state.mailsMayBeDue()
    let again = ClaimedMail(
      id: mail.id, kind: mail.kind, subscriberID: mail.subscriberID, consentID: mail.consentID,
      recipient: mail.recipient, locale: nil, createdAt: mail.createdAt, grantedAt: mail.grantedAt,
      isFirstGrant: true, attempts: mail.attempts,
      leasedUntil: mail.leasedUntil.adding(.seconds(180)))
    #expect(Self.text(state.transacted(Self.batch([again]), at: now)) == [])
    let effects = state.delivered(mail, nil, at: now)
    guard case .transact(let transaction)? = effects.last else {
      Issue.record("nothing is settled")
      return
    }
    #expect(transaction.settlements.map(\.mail.leasedUntil) == [again.leasedUntil])
  }

  @Test mutating func `a due mail that another process keeps is asked for once a second`() {
    _ = state.mailsMayBeDue()
    let batch = Self.batch(due: now)
    #expect(Self.text(state.transacted(batch, at: now)) == ["wait 1000"])
  }

  @Test mutating func `a claim that its limit has cut off is repeated`() throws {
    let mails = [try ClaimedMail.random()]
    _ = state.mailsMayBeDue()
    #expect(
      Self.text(state.transacted(Self.batch(mails, due: now), at: now))
        == ["deliver", "settle 0, claim 1"]
    )
  }

  @Test mutating func `a claim that has only deleted damaged mails is repeated`() {
    _ = state.mailsMayBeDue()
    let batch = MailBatch(mails: [], dropped: 0, withheld: 0, damaged: 64, nextDueAt: now)
    #expect(Self.text(state.transacted(batch, at: now)) == ["damaged 64", "settle 0, claim 2"])
  }

  @Test mutating func `one mail at a time finds out whether the relay is available again`() throws {
    let mail = try ClaimedMail.random()
    _ = state.mailsMayBeDue()
    _ = state.transacted(Self.batch([mail]), at: now)
    #expect(
      Self.text(state.delivered(mail, .unavailable, at: now))
        == ["paused", "pause 1.0 seconds", "settle 1, claim 0"]
    )
    _ = state.transacted(Self.batch(due: now), at: now)
    #expect(Self.text(state.relayPauseEnded()) == ["settle 0, claim 1"])
    #expect(Self.text(state.transacted(Self.batch([mail], due: now), at: now)) == ["deliver"])
    #expect(
      Self.text(state.delivered(mail, nil, at: now)) == ["sent", "resumed", "settle 1, claim 2"])
  }

  @Test(
    arguments: [
      (.busy, 9, []), (.noMailbox, 9, []), (.noSMTPUTF8, 9, []),
      (.blocked, 1, []), (.reply(421), 1, []), (.reply(454), 1, []), (.lost, 1, []),
      (.blocked, 2, []), (.lost, 2, []),
      (.blocked, 9, [1, 1, 1, 1, 1, 1, 1]), (.reply(421), 9, [1, 1, 1, 1, 1, 1, 1]),
      (.reply(454), 9, [1, 1, 1, 1, 1, 1, 1]), (.lost, 9, [1, 1, 1, 1, 1, 1, 1]),
      (.unavailable, 1, [1, 2, 4, 8, 16, 32, 60, 60, 60]),
    ] as [(DeliveryError, Int, [Int])]
  )
  mutating func `recipients of one domain never pause the relay, those of several only briefly`(
    error: DeliveryError, domainCount: Int, expected: [Int]
  ) throws {
    var pauses: [Duration] = []
    _ = state.mailsMayBeDue()
    for number in 0..<9 {
      let mail = try ClaimedMail.random(to: "ada@d\(number % domainCount).example.org")
      _ = state.transacted(Self.batch([mail]), at: now)
      for effect in state.delivered(mail, error, at: now) {
        if case .pause(let duration) = effect { pauses.append(duration) }
      }
      _ = state.transacted(Self.batch(), at: now)
      _ = state.relayPauseEnded()
    }
    #expect(pauses == expected.map { .seconds($0) })
  }

  // MARK: Mails that were tried before

  @Test(arguments: [(1, 1), (2, 1), (3, 2), (5, 4)])
  mutating func `mails that were tried before get all connections but one, and the only one`(
    connectionCount: Int, expected: Int
  ) throws {
    state = .sample(connectionCount: connectionCount)
    #expect(Self.limits(state.mailsMayBeDue()) == [connectionCount, expected])
    let mails = try (0..<expected).map { _ in try ClaimedMail.random(attempts: 1) }
    let effects = state.transacted(Self.batch(mails, due: now), at: now)
    let rest = connectionCount - expected
    #expect(Self.limits(effects) == (rest > 0 ? [rest, 0] : nil))
    _ = state.transacted(Self.batch(), at: now)
    #expect(Self.limits(state.delivered(mails[0], nil, at: now)) == [rest + 1, 1])
  }

  @Test mutating func `a mail that was tried before does not keep another one from probing`() throws
  {
    let (first, tried) = (try ClaimedMail.random(), try ClaimedMail.random(attempts: 1))
    _ = state.mailsMayBeDue()
    _ = state.transacted(Self.batch([first]), at: now)
    _ = state.delivered(first, .unavailable, at: now)
    _ = state.transacted(Self.batch(due: now), at: now)
    #expect(Self.limits(state.relayPauseEnded()) == [1, 1])
    #expect(Self.limits(state.transacted(Self.batch([tried], due: now), at: now)) == [1, 0])
    let effects = state.transacted(Self.batch([first], due: now), at: now)
    #expect(Self.text(effects) == ["deliver"])
    #expect(Self.limits(state.mailsMayBeDue()) == nil)
  }

  @Test mutating func `a recipient without a reply shows that the relay is available`() throws {
    let mail = try ClaimedMail.random()
    _ = state.mailsMayBeDue()
    _ = state.transacted(Self.batch([mail]), at: now)
    _ = state.delivered(mail, .unavailable, at: now)
    _ = state.transacted(Self.batch(due: now), at: now)
    _ = state.relayPauseEnded()
    _ = state.transacted(Self.batch([mail]), at: now)
    #expect(
      Self.text(state.delivered(mail, .lost, at: now))
        == ["failed unknown at text", "resumed", "settle 1, claim 2"]
    )
  }

  @Test mutating func `held mails are examined soon after the first or a change, then each minute`()
  {
    _ = state.mailsMayBeDue()
    let held = MailBatch(
      mails: [], dropped: 0, withheld: 0, held: 3, hasHeld: true, load: 500, raisesAlarm: true,
      nextDueAt: nil)
    #expect(
      Self.text(state.transacted(held, at: now)) == [
        "held 3", "examine held after 1.0 seconds", "load 500", "budget spent",
      ]
    )
    let soon = ["examine held after 1.0 seconds", "settle 0, claim 2"]
    let waiting = MailBatch(mails: [], dropped: 0, withheld: 0, hasHeld: true, nextDueAt: nil)
    #expect(Self.text(state.heldMailsMayHaveRoom()) == ["settle 0, claim 2, examine held"])
    #expect(Self.text(state.transacted(waiting, at: now)) == ["examine held after 60.0 seconds"])
    #expect(Self.text(state.outboxChanged()) == soon)
    #expect(Self.text(state.transacted(waiting, at: now)) == [])
    #expect(Self.text(state.outboxChanged()) == ["settle 0, claim 2"])
    #expect(Self.text(state.transacted(waiting, at: now)) == [])
    #expect(Self.text(state.heldMailsMayHaveRoom()) == ["settle 0, claim 2, examine held"])
    #expect(Self.text(state.transacted(waiting, at: now)) == ["examine held after 60.0 seconds"])
    #expect(Self.text(state.outboxChanged()) == soon)
    #expect(Self.text(state.transacted(Self.batch(), at: now)) == [])
    #expect(Self.text(state.outboxChanged()) == ["settle 0, claim 2"])
  }

  @Test mutating func `after held mails became due, the next claim examines the others`() {
    _ = state.heldMailsMayHaveRoom()
    let released = MailBatch(
      mails: [], dropped: 0, withheld: 0, mayReleaseMore: true, nextDueAt: now)
    #expect(Self.text(state.transacted(released, at: now)) == ["settle 0, claim 2, examine held"])
    #expect(Self.text(state.transacted(Self.batch(), at: now)) == [])
  }

  private static func batch(_ mails: [ClaimedMail] = [], due: Timestamp? = nil) -> MailBatch {
    MailBatch(mails: mails, dropped: 0, withheld: 0, nextDueAt: due)
  }

  /// The limits of the claim among effects: of all mails, and of those that were tried before.
  private static func limits(_ effects: [OutboxRelayState.Effect]) -> [Int]? {
    for case .transact(let begun) in effects { return [begun.limit, begun.triedLimit] }
    return nil
  }

  /// Describes effects.
  private static func text(_ effects: [OutboxRelayState.Effect]) -> [String] {
    effects.map { effect in
      switch effect {
      case .transact(let begun):
        "settle \(begun.settlements.count), claim \(begun.limit)"
          + (begun.examinesHeld ? ", examine held" : "")
      case .examineHeld(let delay): "examine held after \(delay)"
      case .deliver: "deliver"
      case .wait(let time): "wait \(time.millisecondsSince1970 - 1_800_000_000_000)"
      case .pause(let duration): "pause \(duration)"
      case .pauseStore(let duration): "pause store \(duration)"
      case .send(let event): text(event)
      case .cancel: "cancel"
      case .complete: "complete"
      }
    }
  }

  private static func text(_ event: OutboxRelayEvent) -> String {
    switch event {
    case .sent: "sent"
    case .failed(_, let error): "failed \(error)"
    case .expired: "expired"
    case .dropped(let count): "dropped \(count)"
    case .withheld(let count): "withheld \(count)"
    case .held(let count): "held \(count)"
    case .heldTooLong(let count): "held too long \(count)"
    case .load(let load): "load \(load)"
    case .budgetSpent: "budget spent"
    case .damaged(let count): "damaged \(count)"
    case .paused: "paused"
    case .resumed: "resumed"
    case .storeFailed: "store failed"
    }
  }
}

extension OutboxRelayState {
  /// Creates a state whose jitter is 1.
  fileprivate static func sample(connectionCount: Int = 2) -> OutboxRelayState {
    OutboxRelayState(
      connectionCount: connectionCount, policy: RetryPolicy(firstDelay: .seconds(60)), random: { 1 }
    )
  }
}
