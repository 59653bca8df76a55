package import EmailAddresses
internal import Locks
package import MailingList
package import Signals

/// An outbox in memory, which behaves like a real one except that it is not durable.
///
/// Its signals send on the thread that subscribes.
package final class InMemoryOutbox: Outbox {
  private let list: SharedList
  private let error = Lock<StoreError?>(nil)
  private let subject = Subject<Void, Never>()

  /// Makes an empty outbox.
  package convenience init() {
    self.init(of: SharedList(optIn: .double))
  }

  /// Makes the outbox of a list.
  ///
  /// - Parameter list: The list, which a store may share.
  init(of list: SharedList) {
    self.list = list
  }

  /// Sends after each mail that is added.
  package var changes: Signal<Void, Never> { subject.signal }

  /// The error that every operation fails with; `nil`, the initial value, if they succeed.
  package var failure: StoreError? {
    get { error.withLock { $0 } }
    set { error.withLock { $0 = newValue } }
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
    signal { list in
      for settlement in settlements { list.settle(settlement) }
      return list.claim(claim)
    }
  }

  /// Counts immediately.
  package func backlog() -> Signal<OutboxBacklog, StoreError> {
    signal { list in
      OutboxBacklog(
        waiting: min(list.rows.count { !$0.isHeld }, OutboxBacklog.maximumCount),
        oldest: list.rows.filter { !$0.isHeld }.map(\.createdAt).min(),
        held: list.rows.count { $0.isHeld },
        isServedElsewhere: false
      )
    }
  }

  /// Adds a mail, as a sign-up would.
  ///
  /// - Parameter mail: The mail.
  package func add(_ mail: WaitingMail) {
    list.withLock { list in
      let id = list.put(mail.recipient, mail.membership, locale: mail.locale, at: mail.createdAt)
      list.rows.append(
        InMemoryList.Row(
          id: mail.id,
          kind: mail.kind,
          subscriberID: id,
          consentID: mail.consentID,
          locale: mail.locale,
          createdAt: mail.createdAt,
          dueAt: mail.createdAt
        )
      )
    }
    announce()
  }

  /// Sends that a mail was added.
  func announce() {
    subject.send()
  }

  /// Completes ``changes``.
  func close() {
    subject.complete()
  }

  /// Returns the membership of an address.
  package func membership(of address: EmailAddress) -> Membership {
    list.withLock { list in
      list.id(of: address).flatMap { list.member($0)?.membership } ?? .none
    }
  }

  /// Sets the membership of an address.
  package func setMembership(_ new: Membership, of address: EmailAddress) {
    list.withLock { list in
      if let id = list.id(of: address) { list.set(new, of: id) }
    }
  }

  /// Returns what was stored of a mail's links and code.
  package func credentials(of id: MailID) -> MailCredentials? {
    list.withLock { $0.credentials[id] }
  }

  private func signal<Value: Sendable>(
    _ body: @escaping @Sendable (inout InMemoryList) -> Value
  ) -> Signal<Value, StoreError> {
    .calling { () throws(StoreError) in
      if let failure = self.failure { throw failure }
      return self.list.withLock { body(&$0) }
    }
  }
}
