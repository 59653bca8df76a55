internal import Signals
internal import MailingList

/// The queries that are waiting for the reader's thread.
final class ReaderQueue: Sendable {
  /// The next task of the reader.
  enum Task: Sendable {
    case read(QueuedQuery)
    case wait
    /// Close the connection, then notify these observers; this is the last task.
    case close
  }

  private struct State {
    var queries: [QueuedQuery] = []
    /// The number of taken queries, which are still at the beginning of the array.
    var taken = 0
    var closers: [Observer<Never, Never>] = []
    var isClosing = false
    var isClosed = false
    var isReaderWaiting = false

    var count: Int { queries.count - taken }

    mutating func wakesReader() -> Bool {
      defer { isReaderWaiting = false }
      return isReaderWaiting
    }
  }

  private let maximumQueued: Int
  private let timeout: Duration
  private let state = Lock(State())

  /// The descriptor that ends the reader's wait.
  let wakeUp = WakeUp()

  init(maximumQueued: Int, timeout: Duration) {
    self.maximumQueued = maximumQueued
    self.timeout = timeout
  }

  /// Returns a signal that queues a query at each subscription; the query runs on the reader's
  /// thread.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    Signal { observer in
      let query = QueuedQuery(until: .now + self.timeout, observer, body)
      let (error, wakes): (StoreError?, Bool) = self.state.withLock { state in
        if state.isClosing { return (.closed, false) }
        if state.count >= self.maximumQueued { return (.overloaded, false) }
        state.queries.append(query)
        return (nil, state.wakesReader())
      }
      if wakes { self.wakeUp.signal() }
      if let error { observer.fail(error) }
      return nil
    }
  }

  /// Rejects new queries, and closes the connection after the queued ones.
  ///
  /// - Parameter observer: Notified when the connection is closed.
  func close(_ observer: Observer<Never, Never>? = nil) {
    let isClosed = state.withLock { state in
      state.isClosing = true
      state.isReaderWaiting = false
      if let observer, !state.isClosed { state.closers.append(observer) }
      return state.isClosed
    }
    wakeUp.signal()
    if isClosed { observer?.complete() }
  }

  /// Returns the next task; only the reader calls this function.
  func next() -> Task {
    state.withLock { state in
      if state.count > 0 {
        defer {
          state.taken += 1
          // The remaining queries are moved only once for many removed ones.
          if state.taken == state.queries.count || state.taken >= 256 {
            state.queries.removeFirst(state.taken)
            state.taken = 0
          }
        }
        return .read(state.queries[state.taken])
      }
      if state.isClosing { return .close }
      state.isReaderWaiting = true
      return .wait
    }
  }

  /// Records that the connection is closed, and returns the waiting observers, which the reader
  /// notifies.
  func finishClosing() -> [Observer<Never, Never>] {
    state.withLock { state in
      state.isClosed = true
      defer { state.closers = [] }
      return state.closers
    }
  }
}
