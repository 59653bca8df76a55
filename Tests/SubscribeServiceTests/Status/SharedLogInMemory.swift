import Signals
import MailingList

/// A shared status log that a test fills; it numbers nothing by itself.
final class SharedLogInMemory: SharedStatusLog {
  private struct State {
    var history = 0
    var followers: [@Sendable (SharedStatusChange) -> Void] = []
    var added: [StatusPayload] = []
    var awaited: [(position: UInt64, observer: Observer<Never, Never>)] = []
  }

  /// Sends the confirmations of other services: subscriber and time.
  let confirmations = Subject<(Int64, Timestamp), Never>()
  private let state = Lock(State())

  /// What the service has requested when it began to follow.
  var history: Int { state.withLock { $0.history } }

  /// The messages of failed executions.
  var added: [StatusPayload] { state.withLock { $0.added } }

  /// The positions that clients wait for.
  var awaited: [UInt64] { state.withLock { $0.awaited.map(\.position) } }

  /// Sends a change to all followers.
  func send(_ change: SharedStatusChange) {
    for follower in state.withLock({ $0.followers }) { follower(change) }
  }

  /// Ends the waiting of all clients, as when a position was reached or its time has passed.
  func endWaiting() {
    let awaited = state.withLock { state in
      defer { state.awaited = [] }
      return state.awaited
    }
    for (_, observer) in awaited { observer.complete() }
  }

  func follow(history: Int, _ receive: @escaping @Sendable (SharedStatusChange) -> Void) {
    state.withLock { state in
      state.history = history
      state.followers.append(receive)
    }
  }

  func add(_ messages: [StatusPayload]) {
    state.withLock { $0.added += messages }
  }

  func catchUp(to position: UInt64) -> Signal<Never, Never> {
    Signal { observer in
      self.state.withLock { $0.awaited.append((position, observer)) }
      return nil
    }
  }

  func confirmation(of subscriber: Int64, after time: Timestamp) -> Signal<Timestamp, Never> {
    confirmations.signal.compactMap { found, confirmedAt in
      found == subscriber && confirmedAt > time ? confirmedAt : nil
    }
    .take(1)
  }
}
