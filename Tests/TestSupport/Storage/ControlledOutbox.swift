package import Signals
package import MailingList

/// The outbox of a store, whose results arrive on the thread that asks for them.
///
/// It records its transactions, and can fail.
package final class ControlledOutbox: Outbox {
  private struct State {
    var failure: StoreError?
    var transactions: [String] = []
  }

  private let base: any Outbox
  private let subject = Subject<Void, Never>()
  private let state = Lock(State())

  init(_ base: any Outbox) {
    self.base = base
  }

  /// The error that every operation fails with; `nil`, the initial value, if they succeed.
  package var failure: StoreError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// The transactions, such as `settle 1, claim 2`.
  package var transactions: [String] { state.withLock { $0.transactions } }

  /// Sends after each change of the list that its ``ControlledStore`` has made.
  package var changes: Signal<Void, Never> { subject.signal }

  package func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> {
    perform(base.claim(claim), "claim \(claim.limit)")
  }

  package func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    let next = claim.map { ", claim \($0.limit)" } ?? ""
    return perform(base.settle(settlements, claiming: claim), "settle \(settlements.count)\(next)")
  }

  package func backlog() -> Signal<OutboxBacklog, StoreError> { perform(base.backlog()) }

  func announce() { subject.send() }

  func close() { subject.complete() }

  private func perform<Value: Sendable>(
    _ signal: Signal<Value, StoreError>, _ transaction: String? = nil
  ) -> Signal<Value, StoreError> {
    .deferred {
      let failure = self.state.withLock { state in
        if let transaction { state.transactions.append(transaction) }
        return state.failure
      }
      return failure.map { .fail($0) } ?? signal.blocking()
    }
  }
}
