package import EmailAddresses
internal import Locks
package import MailingList
package import Signals

/// An outbox in memory, which behaves like a real one except that it is not durable.
///
/// Its signals send on the thread that subscribes.
package final class InMemoryOutbox: Outbox {
  private struct Row {
    let waiting: WaitingMail
    let subscriberID: Int64
    var dueAt: Timestamp
    var grantedAt: Timestamp?
    var attempts = 0
  }

  private struct State {
    /// The members, keyed by the bytes of the address key; an id is the order of arrival.
    var members: [[UInt8]: (id: Int64, membership: Membership)] = [:]
    var rows: [Row] = []
    var mailboxes: [[UInt8]: MailboxHistory] = [:]
    var credentials: [MailID: MailCredentials] = [:]
    var failure: StoreError?
  }

  private let state = Lock(State())
  private let subject = Subject<Void, Never>()

  /// Makes an empty outbox.
  package init() {}

  /// Sends after each mail that is added.
  package var changes: Signal<Void, Never> { subject.signal }

  /// The error that every operation fails with; `nil`, the initial value, if they succeed.
  package var failure: StoreError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// Claims immediately.
  package func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> {
    settle([], claiming: claim)
  }

  /// Settles and claims immediately.
  package func settle(
    _ settlements: [MailSettlement],
    claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    signal { state in
      for settlement in settlements { Self.settle(settlement, &state) }
      return Self.claim(claim, &state)
    }
  }

  /// Counts immediately.
  package func backlog() -> Signal<OutboxBacklog, StoreError> {
    signal { state in
      OutboxBacklog(
        waiting: min(state.rows.count, OutboxBacklog.maximumCount),
        oldest: state.rows.map(\.waiting.createdAt).min(),
        isServedElsewhere: false
      )
    }
  }

  /// Adds a mail, as a sign-up would.
  ///
  /// - Parameter mail: The mail.
  package func add(_ mail: WaitingMail) {
    state.withLock { state in
      let key = Array(mail.recipient.key.utf8)
      let id = state.members[key]?.id ?? Int64(state.members.count + 1)
      state.members[key] = (id, mail.membership)
      state.rows.append(Row(waiting: mail, subscriberID: id, dueAt: mail.createdAt))
    }
    subject.send()
  }

  /// Returns the membership of an address.
  package func membership(of address: EmailAddress) -> Membership {
    state.withLock { $0.members[Array(address.key.utf8)]?.membership ?? .none }
  }

  /// Sets the membership of an address.
  package func setMembership(_ new: Membership, of address: EmailAddress) {
    state.withLock { $0.members[Array(address.key.utf8)]?.membership = new }
  }

  /// Returns what was stored of a mail's links and code.
  package func credentials(of id: MailID) -> MailCredentials? {
    state.withLock { $0.credentials[id] }
  }

  private static func settle(_ settlement: MailSettlement, _ state: inout State) {
    let mail = settlement.mail
    let index = state.rows.firstIndex { row in
      row.waiting.id == mail.id && row.dueAt == mail.leasedUntil
    }
    guard let index else { return }
    let key = Array(mail.recipient.key.utf8)
    let membership = state.members[key]?.membership ?? .none
    switch settlement.outcome {
    case .sent:
      state.members[key]?.membership = membership.delivered() ?? membership
      state.rows.remove(at: index)
    case .rejected:
      state.members[key]?.membership = membership.rejected(at: settlement.time) ?? membership
      state.rows.remove(at: index)
    case .undeliverable, .expired:
      state.rows.remove(at: index)
    case .later(let time, _):
      state.rows[index].dueAt = time
      state.rows[index].attempts += 1
    case .released(let time):
      state.rows[index].dueAt = time
    }
  }

  private static func claim(_ claim: MailClaim?, _ state: inout State) -> MailBatch {
    var mails: [ClaimedMail] = []
    var dropped = 0
    var withheld = 0
    if let claim {
      for id in dueMails(at: claim.now, state) {
        guard mails.count < claim.limit else { break }
        guard let index = state.rows.firstIndex(where: { $0.waiting.id == id }) else { continue }
        switch grant(state.rows[index], at: claim.now, state) {
        case .drop:
          state.rows.remove(at: index)
          dropped += 1
        case .withhold:
          state.rows.remove(at: index)
          withheld += 1
        case .send:
          mails.append(lease(index, claim, &state))
        }
      }
    }
    return MailBatch(
      mails: mails,
      dropped: dropped,
      withheld: withheld,
      nextDueAt: state.rows.map(\.dueAt).min()
    )
  }

  private static func dueMails(at now: Timestamp, _ state: State) -> [MailID] {
    state.rows.filter { $0.dueAt <= now }
      .sorted { left, right in
        (left.dueAt, left.waiting.id.text) < (right.dueAt, right.waiting.id.text)
      }
      .map(\.waiting.id)
  }

  private static func grant(_ row: Row, at now: Timestamp, _ state: State) -> MailGrant {
    let recipient = row.waiting.recipient
    return MailGrant(
      row.waiting.kind,
      createdAt: row.waiting.createdAt,
      isGranted: row.grantedAt != nil,
      membership: state.members[Array(recipient.key.utf8)]?.membership ?? .none,
      mailbox: state.mailboxes[Array(recipient.canonicalKey.utf8)] ?? MailboxHistory(),
      now: now
    )
  }

  private static func lease(
    _ index: Int,
    _ claim: MailClaim,
    _ state: inout State
  ) -> ClaimedMail {
    let row = state.rows[index]
    if row.grantedAt == nil {
      let mailbox = Array(row.waiting.recipient.canonicalKey.utf8)
      let history = state.mailboxes[mailbox] ?? MailboxHistory()
      state.mailboxes[mailbox] = history.adding(claim.now)
    }
    let grantedAt = row.grantedAt ?? claim.now
    let end = claim.now.adding(claim.lease)
    state.rows[index].grantedAt = grantedAt
    state.rows[index].dueAt = end
    let mail = ClaimedMail(
      id: row.waiting.id,
      kind: row.waiting.kind,
      subscriberID: row.subscriberID,
      consentID: row.waiting.consentID,
      recipient: row.waiting.recipient,
      locale: row.waiting.locale,
      createdAt: row.waiting.createdAt,
      grantedAt: grantedAt,
      attempts: row.attempts,
      leasedUntil: end
    )
    state.credentials[mail.id] = claim.credentials(mail)
    return mail
  }

  private func signal<Value: Sendable>(
    _ body: @escaping @Sendable (inout State) -> Value
  ) -> Signal<Value, StoreError> {
    Signal { observer in
      let result: Result<Value, StoreError> = self.state.withLock { state in
        if let failure = state.failure { .failure(failure) } else { .success(body(&state)) }
      }
      switch result {
      case .success(let value):
        observer.send(value)
        observer.complete()
      case .failure(let error):
        observer.fail(error)
      }
      return nil
    }
  }
}

extension MailID {
  /// The bytes as text that sorts like them.
  fileprivate var text: String {
    bytes.map { String(Unicode.Scalar($0)) }.joined()
  }
}
