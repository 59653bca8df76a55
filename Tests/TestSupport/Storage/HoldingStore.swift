import Locks
import MailingList
import Signals
import TestSupport

/// An in-memory store that can delay sign-ups.
final class HoldingStore: SubscriberStore {
  let memory = InMemorySubscriberStore()
  private let release = Lock<ReplaySubject<Void, Never>?>(nil)
  private let stored = Lock<[SignUp]>([])

  /// The consents of the stored sign-ups, in order.
  var consents: [Consent] { stored.withLock { $0.map(\.consent) } }

  /// Delays sign-ups from now on until `release` completes.
  func hold(until release: ReplaySubject<Void, Never>) { self.release.withLock { $0 = release } }

  func add(_ signUp: SignUp) -> Signal<Receipt, StoreError> {
    stored.withLock { $0.append(signUp) }
    guard let release = release.withLock({ $0 }) else { return memory.add(signUp) }
    return Signal { observer in
      release.signal.subscribe(completed: { self.memory.add(signUp).subscribe(observer) })
    }
  }

  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    if let failure = memory.failure { return .fail(failure) }
    return memory.hasStored(id)
  }

  func probe() -> Signal<Never, StoreError> { memory.probe() }

  func close() -> Signal<Never, Never> { memory.close() }

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    memory.subscribers(after: id, limit: limit)
  }

  /// The addresses on the list.
  func addresses() async throws -> [String] {
    try await memory.subscribers(after: nil, limit: 1000).values().flatMap(\.self).map(\.address)
  }
}
