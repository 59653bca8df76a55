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
