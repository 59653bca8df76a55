internal import MailingList
internal import Signals
internal import Platform

/// The reader's thread, which executes one query at a time.
// Not Sendable: only its thread uses it.
final class PostgreSQLReader {
  private let connection: PostgreSQLConnection
  private let queue: ReaderQueue
  private let timeout: Duration
  private let scheduler: any Scheduler

  private init(
    _ connection: PostgreSQLConnection, _ queue: ReaderQueue, timeout: Duration,
    scheduler: any Scheduler
  ) {
    self.connection = connection
    self.queue = queue
    self.timeout = timeout
    self.scheduler = scheduler
  }

  /// Starts a reader, which ends when its queue is closed.
  ///
  /// - Parameters:
  ///   - connection: The connection, which only the reader uses from now on.
  ///   - timeout: The timeout of a query.
  static func start(
    _ connection: PostgreSQLConnection, _ queue: ReaderQueue, timeout: Duration,
    deliverOn scheduler: any Scheduler
  ) {
    let reader = PostgreSQLReader(connection, queue, timeout: timeout, scheduler: scheduler)
    StoreThread.start("store-reader", reader) { $0.run() }
  }

  private func run() {
    while true {
      queue.wakeUp.clear()
      switch queue.next() {
      case .read(let query): read(query)
      case .wait: connection.watch(until: queue.wakeUp)
      case .close:
        connection.close()
        let closers = queue.finishClosing()
        scheduler.schedule {
          for closer in closers { closer.complete() }
        }
        return
      }
    }
  }

  private func read(_ query: QueuedQuery) {
    let end = execute(query)
    scheduler.schedule(end)
  }

  /// Executes a query, and repeats it after the loss of the connection; returns a closure that
  /// sends the result.
  private func execute(_ query: QueuedQuery) -> @Sendable () -> Void {
    var failure: StoreError?
    while true {
      guard ContinuousClock.now < query.deadline,
        let session = try? connection.ready(by: query.deadline)
      else {
        let error = failure ?? connection.storeError
        return { query.fail(error) }
      }
      let list = PostgreSQLListSession(session, by: .now + timeout)
      do throws(StoreError) {
        return try query.run(ListReader(list))
      } catch {
        guard let cause = list.failure else { return { query.fail(error) } }
        if cause.endsSession { connection.lost(cause) }
        switch cause {
        // Queries change nothing, so no outcome is undetermined.
        case .undetermined, .unreachable: failure = .unreachable
        case .server(let state) where state.endsConnection: failure = StoreError(state)
        case .server, .malformed: return { query.fail(error) }
        }
      }
    }
  }
}

/// The threads of a store.
enum StoreThread {
  /// Starts a thread with a value that only it uses from now on.
  static func start<Value>(
    _ name: String, _ value: Value, _ body: @escaping @Sendable (Value) -> Void
  ) {
    let handover = Handover(value)
    NamedThread.start(name) { body(handover.value) }
  }
}
