package import EmailAddresses
package import Platform
package import Signals

/// The storage of the mailing list.
///
/// Every store passes the same conformance suite. All functions may be called from any thread, and
/// none of them blocks; signals send on a thread that the store chooses.
package protocol SubscriberStore: SubscriberReader {
  /// Adds a sign-up atomically: it stores both the subscriber and the consent, or neither.
  ///
  /// The signal is cold: each subscription stores the sign-up once. It completes only when the
  /// sign-up is durable, that is, when it survives a crash and a power loss, and fails if nothing
  /// was stored. A repeated sign-up for an address is not an error and never downgrades the
  /// subscriber's state.
  func add(_ signUp: SignUp) -> Signal<Never, StoreError>

  /// Reads whether a sign-up with this execution id was stored within ``ExecutionID/lifetime``.
  ///
  /// If services share a list, this may wait up to two seconds for a sign-up of another service.
  /// The signal sends one value, or fails if the store cannot be read.
  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError>

  /// The status log that the services of this list share; `nil` if the list belongs to one service.
  var sharedStatusLog: (any SharedStatusLog)? { get }

  /// The mails that sign-ups and renewals have caused; empty with ``OptIn/single``.
  var outbox: any Outbox { get }

  /// Reads the membership of the subscriber who made this sign-up.
  ///
  /// The signal sends one value, which is `nil` if ``hasStored(_:)`` sends `false`, or fails if the
  /// store cannot be read.
  func membership(of id: ExecutionID) -> Signal<ExecutionMembership?, StoreError>

  /// Reads the effect that a link in a mail would have; changes nothing.
  ///
  /// A link of another purpose is unknown. The signal sends one value, or fails if the store cannot
  /// be read.
  func lookUp(
    _ token: [UInt8], for purpose: LinkPurpose, at time: Timestamp
  ) -> Signal<LinkStatus, StoreError>

  /// Confirms a subscription by a link; it can be repeated.
  ///
  /// The membership changes as in ``Membership/confirm(at:proofMadeAt:)``, except that an expired
  /// link of a person who is not a subscriber leads to ``ConfirmationResult/gone``. A change is
  /// recorded with the mail of the link, and ends a suppression of the address.
  ///
  /// The signal is cold, as are all that follow: each subscription stores once, and sends only when
  /// the change is durable. It sends one value and completes, or fails if nothing was stored.
  func confirm(
    _ token: [UInt8], _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError>

  /// Confirms a subscription by the code in the last mail to the subscriber who made this sign-up.
  ///
  /// Each call counts as an attempt, even without a stored code, and after
  /// ``ConfirmationLimits/codeTries`` attempts for a mail every code is wrong. The same statements run
  /// for all states of a subscriber. The signal sends one value and completes, or fails if nothing
  /// was stored and no attempt was counted.
  ///
  /// - Parameter isCode: Compares the typed code with a stored hash for a subscriber, in constant
  ///   time. It is called on the store's thread, within the transaction, even without a stored
  ///   code.
  func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID, _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError>

  /// Removes a person from the list by a link, which never expires.
  ///
  /// A person who has been erased since an export has ``LeaveResult/already`` left. The signal sends
  /// one value and completes, or fails if nothing was stored.
  func leave(
    _ proof: LeaveProof, by means: ConsentMeans, _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError>

  /// Requests a new link to confirm by means of an old one, like a sign-up by the owner.
  ///
  /// The state does not change. The mail is that of ``Membership/renewal``; its budget applies.
  /// Within ``Membership/renewalPause`` of a request by the same link, nothing is stored. The
  /// signal sends one value and completes, or fails if nothing was stored.
  func renew(_ token: [UInt8], _ request: MembershipRequest) -> Signal<RenewalResult, StoreError>

  /// Suppresses an address, also one that is not on the list; a weaker reason does not replace a
  /// stronger one.
  ///
  /// The signal sends one value and completes, or fails if nothing was stored.
  func suppress(
    _ address: EmailAddress, _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError>

  /// Checks whether the store accepts writes; the signal completes, or fails with the reason.
  ///
  /// The result is that of the last commit if it is less than a second old, otherwise that of a
  /// probe write, which concurrent callers share.
  func probe() -> Signal<Never, StoreError>

  /// Fails when the store can no longer store anything until it is opened again.
  var failure: Signal<Never, StoreError> { get }

  /// Stops accepting sign-ups, and sends the outcome of every accepted one by a deadline.
  ///
  /// At the deadline, a sign-up that is not being written fails with ``StoreError/closed`` and is
  /// not stored. One that is being written may take longer if the disk does not respond. The signal
  /// completes when every sign-up has its outcome.
  func finish(within time: Duration) -> Signal<Never, Never>

  /// Stores all accepted sign-ups, then closes; the signal completes when all files are closed.
  ///
  /// Later calls fail with ``StoreError/closed``.
  func close() -> Signal<Never, Never>
}

extension SubscriberStore {
  /// `nil`: the list belongs to one service.
  package var sharedStatusLog: (any SharedStatusLog)? { nil }

  /// Completes: the store can recover from every failure.
  package var failure: Signal<Never, StoreError> { .empty }

  /// Completes immediately: in a store without a queue, every sign-up already has its outcome.
  package func finish(within time: Duration) -> Signal<Never, Never> { .empty }
}

/// The operator's access to the list.
///
/// Everything may be used from any thread and does not block. The signals are cold, send one value
/// unless they say otherwise, and fail with `StoreError`.
package protocol OperatorStore: EventReader, ConsentReader {
  /// Reads a subscriber; `nil` if there is none.
  func subscriber(_ id: Int64) -> Signal<Subscriber?, StoreError>

  /// Reads what the list has about addresses, in their order.
  func lookUp(_ addresses: [EmailAddress]) -> Signal<[AddressStatus], StoreError>

  /// Adds people with different addresses, by the rules of an import; sends the results in their
  /// order.
  func add(
    _ people: [ImportedPerson], by actor: EventActor, at time: Timestamp
  ) -> Signal<[ImportResult], StoreError>

  /// Changes the state of a subscriber.
  ///
  /// - Parameter isExpected: Whether the subscriber is as the operator has seen it; called on the
  ///   store's thread.
  func change(
    _ change: StateChange, of id: Int64, by actor: EventActor, at time: Timestamp,
    if isExpected: @escaping @Sendable (Subscriber) -> Bool
  ) -> Signal<StateChangeResult, StoreError>

  /// Queues the mail that asks a pending subscriber to confirm again, within the limits of mails to
  /// a mailbox; sends ``StateChangeResult/unexpected`` if no one is asked.
  func requestConfirmation(
    of id: Int64, at time: Timestamp
  ) -> Signal<StateChangeResult, StoreError>

  /// Erases a subscriber with all that belongs to it.
  ///
  /// - Parameter isExpected: As in ``change(_:of:by:at:if:)``.
  func erase(
    _ id: Int64, leaving trace: ErasureTrace, by actor: EventActor, at time: Timestamp,
    if isExpected: @escaping @Sendable (Subscriber) -> Bool
  ) -> Signal<StateChangeResult, StoreError>

  /// Suppresses an address, also one that is not on the list.
  func suppress(
    _ address: EmailAddress, _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError>

  /// Counts the events that are not counted yet, in parts; the signal sends the number of each.
  ///
  /// Each event is counted once, however many services of a list count: the position of the
  /// consumer changes in the transaction that adds to the tallies. Without new events nothing is
  /// written. Events that the log no longer contains are not counted.
  func countEvents() -> Signal<Int, StoreError>

  /// Reads the tallies from an hour and from a day on, both in hours since 1970.
  func tallies(fromHour hour: Int64, fromDay day: Int64) -> Signal<[Tally], StoreError>

  /// The number of sign-ups that wait for a transaction.
  var queuedSignUps: Int { get }

  /// The size of the log that is not yet part of the database, in bytes; `nil` for a store without
  /// such a file.
  var logBytes: Int? { get }
}

/// The subscriber of an address, and its suppression.
package struct AddressStatus: Hashable, Sendable {
  /// `nil` if the address is not on the list.
  package let subscriber: Subscriber?
  /// The reason why the address gets no mail, also if it is not on the list.
  package let suppression: Suppression?

  package init(subscriber: Subscriber?, suppression: Suppression?) {
    self.subscriber = subscriber
    self.suppression = suppression
  }
}

/// The result of a change by the operator.
package enum StateChangeResult: Hashable, Sendable {
  /// The subscriber afterwards, also if nothing had to change; the erased one as it was.
  case changed(Subscriber)
  /// The subscriber is not as expected; nothing changes.
  case unexpected
  /// There is no such subscriber.
  case unknown
}

/// Read access to the mailing list: a store, or a reader next to the service that writes the list.
///
/// The function may be called from any thread and does not block; the signal sends on a thread that
/// the reader chooses.
package protocol SubscriberReader: Sendable {
  /// Reads subscribers in the order of their ids, a bounded number at a time.
  ///
  /// The signal is cold: each subscription reads the current list. To read the whole list, continue
  /// with the id of the last subscriber until the array is empty. Subscribers that are added
  /// meanwhile have greater ids, so none is read twice and none is skipped.
  ///
  /// The signal sends one array, which is empty if no subscribers remain, and completes. It fails
  /// with `StoreError` if the list cannot be read, and with ``StoreError/closed`` if the store has
  /// been closed.
  ///
  /// - Parameters:
  ///   - id: Only subscribers with a greater id are read; `nil` starts with the first.
  ///   - limit: The maximum number of subscribers, 1 or more.
  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError>
}

/// The reason why a store operation failed; a failed operation stores nothing, unless it is
/// ``undetermined``.
package enum StoreError: Error, Hashable, Sendable {
  /// The disk is full, or a quota or a limit on file sizes is exceeded.
  case full
  /// Another process held the lock for longer than the busy timeout.
  case locked
  /// The store is read-only.
  case readOnly
  /// The content is not that which the store wrote.
  case damaged
  /// The files were changed, removed or replaced while the store was open; it no longer stores
  /// anything.
  case replaced
  /// The write queue is full.
  case overloaded
  /// The store is closed.
  case closed
  /// There is no connection to the server.
  case unreachable
  /// The program does not support the schema of the database.
  case incompatible
  /// The server did not report in time whether it stored the change, or the files were changed,
  /// removed or replaced meanwhile; sending the change again is harmless.
  case undetermined
  /// Another service is storing a sign-up for the same address.
  case executing
  /// Another error of SQLite, with its extended result code.
  case failed(code: Int32)
  /// Another error of a PostgreSQL server, with its SQLSTATE: five characters.
  case rejected(state: String)
}

extension StoreError: CustomStringConvertible {
  /// A short description for the operator.
  package var description: String {
    switch self {
    case .full: "the disk is full; free space on it"
    case .locked: "another process holds the lock; end that process or wait for it"
    case .readOnly: "the database is read-only"
    case .damaged: "the database is damaged"
    case .replaced:
      """
      the files of the database were changed, removed or replaced while the service was running; \
      stop the service, restore the database, and start the service again
      """
    case .overloaded: "the write queue is full"
    case .closed: "the store is closed"
    case .unreachable: "the database server is unreachable"
    case .incompatible: "the schema of the database is not supported by this release"
    case .undetermined: "it is not known whether the change was stored"
    case .executing: "another service is storing the same address"
    case .failed(let code): "the store failed with SQLite code \(code)"
    case .rejected("42501"):
      "the store failed with SQLSTATE 42501: the role may only read, or lacks rights on a table"
    case .rejected(let state): "the store failed with SQLSTATE \(state)"
    }
  }
}

/// The histograms of a store's transactions: their duration, and the number of sign-ups and changes
/// in each.
package struct CommitMetrics: Sendable {
  private let time: Histogram
  private let size: Histogram

  package init(_ registry: MetricRegistry = MetricRegistry()) {
    time = registry.histogram("enlist_commit_seconds")
    size = registry.histogram("enlist_commit_size")
  }

  /// Records a transaction that was committed.
  package func record(_ count: Int, in duration: Duration) {
    let (seconds, attoseconds) = duration.components
    time.record(Double(seconds) + Double(attoseconds) / 1e18)
    size.record(Double(count))
  }
}
