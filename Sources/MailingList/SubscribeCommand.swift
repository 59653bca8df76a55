package import EmailAddresses
package import Signals

/// The sign-up form for one address as signals: its field, its button and its status line.
///
/// The field contains the address; after an execution has ended, the form can be reused for another
/// address. The button is the command: it is enabled while the field contains a valid address and
/// no execution is in flight. An execution stores the sign-up durably.
///
/// Only one thread at a time writes to the field. Nothing else enables the command, so its state is
/// up to date as soon as the field has been written; a signal from another thread could arrive
/// later.
package final class SubscribeCommand: Sendable {
  /// The field: the validated address, or the reason why the typed text is invalid.
  package let email: Property<Result<EmailAddress, EmailAddressError>>
  /// The validity signal: whether the field contains a valid address.
  package let emailIsValid: Signal<Bool, Never>
  /// The status line: the merged messages of started, completed and failed executions.
  ///
  /// Completes when the command has been released and its last execution has ended.
  package let statusEvents: Signal<StatusEvent, Never>

  /// Whether a command may execute while an execution is in flight: a double-click never runs
  /// twice.
  package static let allowsConcurrentExecution = false

  private let command: Command<SignUpRequest, Never, SignUpError>

  /// Creates a command with an empty field; without `deliverability`, it does not check whether a
  /// domain accepts mail.
  package init(
    deliverability: DeliverabilityCheck? = nil, store: any ListStore,
    now: @escaping @Sendable () -> Timestamp
  ) {
    let field = Property(Result<EmailAddress, EmailAddressError>.failure(EmailAddressError(.empty)))
    let emailIsValid = field.signal.map { email in
      switch email {
      case .success: true
      case .failure: false
      }
    }
    let command = Command<SignUpRequest, Never, SignUpError>(
      // In a reused command, a valid address usually replaces another valid one.
      enabled: emailIsValid.distinctUntilChanged(),
      allowsConcurrentExecution: Self.allowsConcurrentExecution
    ) { request in
      Self.store(request, in: store, after: deliverability)
    }
    self.email = field
    self.emailIsValid = emailIsValid
    self.command = command
    statusEvents = Self.statusEvents(of: command.executionEvents, now: now)
  }

  /// Starts an execution, whose signal completes when the sign-up is stored, or fails with the
  /// reason.
  ///
  /// The execution is already running and its result is replayed, so subscribing does not run it
  /// again. The status message is sent before the signal ends.
  ///
  /// - Throws: `SignUpError` if the command rejects the request.
  package func execute(_ request: SignUpRequest) throws(SignUpError) -> Signal<Never, SignUpError> {
    do throws(NotEnabledError) {
      return try command.start(request)
    } catch {
      switch error {
      case .executing: throw .executing
      case .disabled:
        // Only the field disables the command. If the field is valid now, another request is using
        // the command.
        guard case .failure(let error) = email.value else { throw .executing }
        throw .invalidAddress(error)
      }
    }
  }

  private static func store(
    _ request: SignUpRequest, in store: any ListStore, after check: DeliverabilityCheck?
  ) -> Signal<Never, SignUpError> {
    switch request.signUp {
    case .success(let signUp):
      let stored = store.add(signUp).mapError { SignUpError($0) }
      guard let check else { return stored }
      return check.deliverability(of: signUp.address.asciiDomain).promoteError().flatMap {
        deliverability in
        switch deliverability {
        case .undeliverable(let reason): .fail(.undeliverable(reason))
        case .deliverable, .unknown: stored
        }
      }
    case .failure(let error):
      return .fail(.invalidAddress(error))
    }
  }

  /// The status line: three streams of messages, merged.
  ///
  /// The execution's events distinguish a failure from a completion. The original app derives
  /// "Thanks" from the end of the execution signal, which a failure reaches as well.
  private static func statusEvents(
    of events: Signal<ExecutionEvent<SignUpRequest, Never, SignUpError>, Never>,
    now: @escaping @Sendable () -> Timestamp
  ) -> Signal<StatusEvent, Never> {
    @Sendable func event(_ request: SignUpRequest, _ message: StatusMessage) -> StatusEvent {
      StatusEvent(execution: request.id, message: message, time: now())
    }
    let started = events.compactMap {
      if case .started(_, let request) = $0 { event(request, .started) } else { nil }
    }
    let completed = events.compactMap {
      if case .completed(_, let request) = $0 { event(request, .completed) } else { nil }
    }
    let failed = events.compactMap {
      if case .failed(_, let request, _) = $0 { event(request, .failed) } else { nil }
    }
    return .merge(started, completed, failed)
  }
}
