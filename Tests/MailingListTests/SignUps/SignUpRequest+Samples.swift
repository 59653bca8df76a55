import Locks
import MailingList
import Signals
import TestSupport

/// A store that keeps sign-ups waiting until a test opens it, and counts those in flight.
final class HoldingStore: SubscriberStore {
  private struct State {
    var inFlight: [String: Int] = [:]
    var mostInFlightOfOneKey = 0
    var startedCount = 0
  }

  let memory = InMemorySubscriberStore()
  private let opening = ReplaySubject<Void, Never>()
  private let state = Lock(State())
  private let scheduler: any Scheduler

  /// Creates an empty store that stores on a scheduler.
  ///
  /// By default it stores on the thread that opens it or, once it is open, that adds the sign-up.
  init(on scheduler: any Scheduler = ImmediateScheduler()) {
    self.scheduler = scheduler
  }

  /// The maximum number of sign-ups of one address that were in flight at the same time.
  var mostInFlightOfOneKey: Int { state.withLock { $0.mostInFlightOfOneKey } }

  /// The number of sign-ups that have reached the store.
  var startedCount: Int { state.withLock { $0.startedCount } }

  /// Stores all waiting and all future sign-ups.
  func open() { opening.complete() }

  func add(_ signUp: SignUp) -> Signal<Receipt, StoreError> {
    Signal { observer in
      let key = signUp.address.key
      self.count(1, of: key)
      return self.opening.signal.subscribe(completed: {
        self.scheduler.schedule {
          self.memory.add(signUp).subscribe(
            next: { receipt in
              self.count(-1, of: key)
              observer.send(receipt)
            },
            failed: { error in
              self.count(-1, of: key)
              observer.fail(error)
            },
            completed: { observer.complete() }
          )
        }
      })
    }
  }

  private func count(_ change: Int, of key: String) {
    state.withLock { state in
      let inFlight = (state.inFlight[key] ?? 0) + change
      state.inFlight[key] = inFlight
      state.mostInFlightOfOneKey = max(state.mostInFlightOfOneKey, inFlight)
      if change > 0 { state.startedCount += 1 }
    }
  }

  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> { memory.hasStored(id) }

  func probe() -> Signal<Never, StoreError> { memory.probe() }

  func close() -> Signal<Never, Never> { memory.close() }

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    memory.subscribers(after: id, limit: limit)
  }
}

extension SignUpRequest {
  /// Creates a request with a new id.
  static func sample(_ email: String = "ada@example.org") -> SignUpRequest {
    var generator = SystemRandomNumberGenerator()
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    return SignUpRequest(
      id: ExecutionID(at: time, using: &generator),
      email: email,
      time: time,
      consent: Consent()
    )
  }
}

/// A recorder of the values of a signal, which a test can read at any time.
final class Recorded<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var hasEnded = false
  }

  private let state = Lock(State())

  init<Failure>(_ signal: Signal<Value, Failure>) {
    signal.subscribe(
      next: { value in self.state.withLock { $0.values.append(value) } },
      failed: { _ in self.state.withLock { $0.hasEnded = true } },
      completed: { self.state.withLock { $0.hasEnded = true } }
    )
  }

  var values: [Value] { state.withLock { $0.values } }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }
}
