internal import Signals
internal import MailingList

/// The status log in a database, and the thread that follows it.
final class PostgreSQLStatusLog: SharedStatusLog {
  /// The options of a log.
  struct Configuration: Sendable {
    var parameters: ConnectionParameters
    /// Whether notifications arrive on the connection; `nil` if this was not tested.
    var hears: Bool?
    /// The scheduler on which replies are sent.
    var deliverOn: any Scheduler
    var now: @Sendable () -> Timestamp = { .now }
    var metrics = FollowerMetrics()
    /// Called with reports for the operator, on the follower's thread.
    var report: @Sendable (StoreReport) -> Void = { _ in }
    /// The interval at which old rows are deleted.
    var retentionInterval: Duration = .seconds(60)
    /// Whether the follower listens for notifications; tests disable it.
    var listens = true
  }

  private struct State {
    /// The connection until the thread takes it.
    var connection: Handover<PostgreSQLConnection>?
    var isFollowing = false
    var nextKey: UInt64 = 0
  }

  /// The timeout of a question; until then, another service may store the row.
  static let queryTimeout: Duration = .seconds(2)

  private let inbox = FollowerInbox()
  private let configuration: Configuration
  private let state: Lock<State>
  private let end = ReplaySubject<Never, Never>()

  /// Creates a log, and takes over the connection for its follower.
  init(_ connection: PostgreSQLConnection, _ configuration: Configuration) {
    self.configuration = configuration
    state = Lock(State(connection: Handover(connection)))
  }

  deinit {
    inbox.stop()
  }

  /// Whether a thread follows the log.
  var isFollowed: Bool { state.withLock { $0.isFollowing } }

  /// Records that a batch was committed, or may have been: its messages have no positions yet.
  ///
  /// Call it before the outcomes of the batch are sent.
  func committed() {
    inbox.committed()
  }

  func follow(history: Int, _ receive: @escaping @Sendable (SharedStatusChange) -> Void) {
    let taken = state.withLock { state in
      guard let connection = state.connection else { return nil as Handover<PostgreSQLConnection>? }
      state.connection = nil
      state.isFollowing = true
      return connection
    }
    guard let connection = taken?.value else { return }
    inbox.open()
    let follower = StatusFollower(
      connection: connection, parameters: configuration.parameters, inbox: inbox,
      configuration: StatusFollower.Configuration(
        history: max(1, history), receive: receive, deliverOn: configuration.deliverOn,
        hears: configuration.hears, metrics: configuration.metrics, report: configuration.report,
        retentionInterval: configuration.retentionInterval, listens: configuration.listens))
    StoreThread.start("store-follower", follower) { [configuration, end] follower in
      follower.run()
      configuration.deliverOn.schedule { end.complete() }
    }
  }

  /// Adds the messages of an execution that failed here, which are not in any batch.
  func add(_ messages: [StatusPayload]) {
    inbox.add(messages)
  }

  func catchUp(to position: UInt64) -> Signal<Never, Never> {
    Signal { [inbox] observer in
      inbox.ask(
        PositionQuestion(
          position: Int64(clamping: position), deadline: .now + Self.queryTimeout,
          observer: observer))
      return nil
    }
  }

  func confirmation(of subscriber: Int64, after time: Timestamp) -> Signal<Timestamp, Never> {
    Signal { [self] observer in
      let key = state.withLock { state in
        defer { state.nextKey += 1 }
        return state.nextKey
      }
      inbox.ask(
        ConfirmationQuestion(key: key, subscriber: subscriber, after: time, observer: observer))
      return AnyDisposable { [inbox] in inbox.withdraw(key) }
    }
  }

  /// Reads whether any service has stored a sign-up with an execution id.
  ///
  /// The signal is cold. It sends `true` as soon as the sign-up is stored, or `false` after two
  /// seconds. It fails if the log cannot be read, and with `StoreError.closed` if no thread follows
  /// it.
  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    Signal { [inbox, configuration] observer in
      guard id.isKnown(at: configuration.now()) else {
        observer.send(false)
        observer.complete()
        return nil
      }
      inbox.ask(StoredQuestion(id: id, deadline: .now + Self.queryTimeout, observer: observer))
      return nil
    }
  }

  /// Ends the thread after it has numbered the committed rows; without a thread, closes the
  /// connection.
  ///
  /// The signal is cold, and completes when the thread has ended.
  func close() -> Signal<Never, Never> {
    Signal { [self] observer in
      let (unused, isFollowing) = state.withLock { state in
        defer { state.connection = nil }
        return (state.connection, state.isFollowing)
      }
      unused?.value.close()
      inbox.stop()
      guard isFollowing else {
        observer.complete()
        return nil
      }
      return end.signal.subscribe(observer)
    }
  }
}
