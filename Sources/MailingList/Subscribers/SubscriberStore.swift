package import EmailAddresses
package import Signals

/// The storage of the mailing list.
///
/// Every store passes the same conformance suite. All functions may be called from any thread, and
/// none of them blocks; signals send on a thread that the store chooses.
package protocol SubscriberStore: SubscriberReader {
  /// Adds a sign-up atomically: it stores both the subscriber and the consent, or neither.
  ///
  /// The signal is cold: each subscription stores the sign-up once. It completes only when the
  /// sign-up is durable, that is, when it survives a crash and a power loss. A repeated sign-up for
  /// an address is not an error and never downgrades the subscriber's state.
  ///
  /// - Returns: A signal that completes when the sign-up is durable, or fails when nothing was
  ///   stored.
  func add(_ signUp: SignUp) -> Signal<Never, StoreError>

  /// Reads whether a sign-up with this execution id was stored within ``ExecutionID/lifetime``.
  ///
  /// Where services share a list, it may wait up to two seconds for a sign-up of another service.
  ///
  /// - Returns: A signal that sends one value, or fails when the store cannot be read.
  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError>

  /// The status log that the services of this list share; `nil` if the list belongs to one service.
  var sharedStatusLog: (any SharedStatusLog)? { get }

  /// The mails that sign-ups and renewals have caused.
  ///
  /// With ``OptIn/single`` it stays empty.
  var outbox: any Outbox { get }

  /// Reads what has become of the person of an execution.
  ///
  /// - Returns: A signal that sends one value, which is `nil` where ``hasStored(_:)`` sends
  ///   `false`, or fails when the store cannot be read.
  func membership(of id: ExecutionID) -> Signal<ExecutionMembership?, StoreError>

  /// Reads what a link in a mail leads to; changes nothing.
  ///
  /// - Parameter purpose: The purpose of the link; one of another purpose is unknown.
  /// - Returns: A signal that sends one value, or fails when the store cannot be read.
  func lookUp(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at time: Timestamp
  ) -> Signal<LinkStatus, StoreError>

  /// Confirms a subscription by a link; it can be repeated.
  ///
  /// The membership changes as ``Membership/confirm(at:proofMadeAt:)`` says, except that an expired
  /// link of a person who is not a subscriber is gone. A change is recorded with the mail of the
  /// link, and ends a suppression of the address. The signal is cold, as are all that follow: each
  /// subscription stores once, and sends only when that is durable.
  ///
  /// - Returns: A signal that sends one value and completes, or fails when nothing was stored.
  func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError>

  /// Confirms a subscription by the code in the last mail to the person of an execution.
  ///
  /// Each call counts as a try, also where there is no code, and beyond
  /// ``MailCredentials/codeTries`` for a mail every code is wrong. All states of a subscriber lead
  /// to the same statements.
  ///
  /// - Parameter isCode: Compares the typed code with a stored hash for a subscriber, in constant
  ///   time. It is called on the store's thread, within the transaction, also where there is no
  ///   code.
  /// - Returns: A signal that sends one value and completes, or fails when nothing was stored, and
  ///   no try was counted.
  func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError>

  /// Takes a person off the list by a link, which never expires.
  ///
  /// - Returns: A signal that sends one value and completes, or fails when nothing was stored.
  func leave(
    _ token: [UInt8],
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError>

  /// Requests a new link to confirm by means of an old one, as a sign-up by the owner would.
  ///
  /// The state stays as it is. The mail follows ``Membership/renewal``; its budget applies. Within
  /// ``Membership/renewalPause`` of a request by the same link, nothing is stored.
  ///
  /// - Returns: A signal that sends one value and completes, or fails when nothing was stored.
  func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<RenewalResult, StoreError>

  /// Suppresses an address, also one that is not on the list.
  ///
  /// - Parameter reason: The reason; a weaker one does not replace a stronger one.
  /// - Returns: A signal that sends one value and completes, or fails when nothing was stored.
  func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError>

  /// Checks whether the store accepts writes.
  ///
  /// The result is that of the last commit if it is less than a second old, otherwise that of a
  /// probe write, which concurrent callers share.
  ///
  /// - Returns: A signal that completes if the store accepts writes, or fails with the reason.
  func probe() -> Signal<Never, StoreError>

  /// Fails when the store cannot store anything until it is opened again.
  var failure: Signal<Never, StoreError> { get }

  /// Stops accepting sign-ups, and sends the outcome of every accepted one by a deadline.
  ///
  /// At the deadline, a sign-up that is not being written fails with ``StoreError/closed`` and is
  /// not stored. One that is being written may take longer if the disk does not respond.
  ///
  /// - Returns: A signal that completes when every sign-up has its outcome.
  func finish(within time: Duration) -> Signal<Never, Never>

  /// Stores all accepted sign-ups, then closes; later calls fail with ``StoreError/closed``.
  ///
  /// - Returns: A signal that completes when all files are closed.
  func close() -> Signal<Never, Never>
}

extension SubscriberStore {
  /// None: the list belongs to one service.
  package var sharedStatusLog: (any SharedStatusLog)? { nil }

  /// Completes: the store can recover from every failure.
  package var failure: Signal<Never, StoreError> { .empty }

  /// Completes immediately: in a store without a queue, every sign-up already has its outcome.
  package func finish(within time: Duration) -> Signal<Never, Never> { .empty }
}
