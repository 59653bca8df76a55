internal import MailingList
internal import Signals

/// A store that reports success immediately and stores nothing, to measure everything but the disk.
struct ForgetfulStore: SubscriberStore {
  func add(_ signUp: SignUp) -> Signal<Never, StoreError> { .empty }

  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> { .just(false) }

  func probe() -> Signal<Never, StoreError> { .empty }

  func close() -> Signal<Never, Never> { .empty }

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> { .just([]) }
}
