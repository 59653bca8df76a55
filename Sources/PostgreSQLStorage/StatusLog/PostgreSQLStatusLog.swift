internal import Locks
internal import MailingList
internal import Signals

/// The status log in a database, and the thread that follows it.
final class PostgreSQLStatusLog: SharedStatusLog {
  /// What a log needs.
  struct Configuration: Sendable {
    /// Where the database is, and what is reported.
    var connection: PostgreSQLConnection.Configuration
    /// The scheduler on which replies are sent.
    var deliverOn: any Scheduler
    /// The clock.
    var now: @Sendable () -> Timestamp = { .now }
    /// Notifies the followers of a text through another connection; `nil` opens one for it.
    var notify: (@Sendable (String) -> Void)?
    /// How often old rows are deleted.
    var retentionInterval: Duration = .seconds(60)
    /// Whether notifications are listened to; tests turn it off.
    var listens = true
  }

  private struct State {
    var isFollowing = false
    var isClosed = false
    var nextKey: UInt64 = 0
  }

  /// How long a question waits for what another service may just be storing.
  static let patience: Duration = .seconds(2)

  private let inbox = FollowerInbox()
  private let configuration: Configuration
  private let state = Lock(State())
  private let end = ReplaySubject<Never, Never>()

  /// Creates a log that nobody follows yet.
  ///
  /// - Parameter configuration: What it needs.
  init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  deinit {
    inbox.stop()
  }

  /// What the writer tells of its commits.
  var writer: any StatusLogWriter { inbox }

  func follow(history: Int, _ receive: @escaping @Sendable (SharedStatusChange) -> Void) {
    let isFirst = state.withLock { state in
      defer { state.isFollowing = true }
      return !state.isFollowing && !state.isClosed
    }
    guard isFirst else { return }
    inbox.open()
    let options = StatusFollower.Configuration(
      history: max(1, history),
      receive: receive,
      deliverOn: configuration.deliverOn,
      report: configuration.connection.report,
      notify: configuration.notify,
      retentionInterval: configuration.retentionInterval,
      listens: configuration.listens
    )
    let follower = StatusFollower(
      connection: PostgreSQLConnection(configuration.connection),
      parameters: configuration.connection.parameters,
      inbox: inbox,
      configuration: options
    )
    StoreThread.start("store-follower", follower) { [configuration, end] follower in
      follower.run()
      configuration.deliverOn.schedule { end.complete() }
    }
  }

  func add(_ messages: [StatusPayload]) {
    inbox.add(messages)
  }

  func catchUp(to position: UInt64) -> Signal<Never, Never> {
    Signal { [inbox] observer in
      inbox.ask(
        PositionQuestion(
          position: Int64(clamping: position),
          deadline: .now + Self.patience,
          observer: observer
        )
      )
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
        ConfirmationQuestion(key: key, subscriber: subscriber, after: time, observer: observer)
      )
      return AnyDisposable { [inbox] in inbox.withdraw(key) }
    }
  }

  /// Reads whether a sign-up with an execution id was stored, by whichever service.
  ///
  /// - Parameter id: The public id of the execution.
  /// - Returns: A cold signal that sends `true` as soon as it was stored, or `false` after two
  ///   seconds; it fails if that cannot be read, and with `StoreError.closed` if nobody follows the
  ///   log.
  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    Signal { [inbox, configuration] observer in
      guard id.isKnown(at: configuration.now()) else {
        observer.send(false)
        observer.complete()
        return nil
      }
      inbox.ask(
        StoredQuestion(id: id, deadline: .now + Self.patience, observer: observer)
      )
      return nil
    }
  }

  /// Numbers what was committed, and ends the thread.
  ///
  /// - Returns: A cold signal that completes when the thread has ended.
  func close() -> Signal<Never, Never> {
    Signal { [self] observer in
      let isFollowing = state.withLock { state in
        state.isClosed = true
        return state.isFollowing
      }
      inbox.stop()
      guard isFollowing else {
        observer.complete()
        return nil
      }
      return end.signal.subscribe(observer)
    }
  }
}
