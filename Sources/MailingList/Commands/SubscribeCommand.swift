package import Signals

/// The screen of one address: its field, its button and its status line, as signals.
///
/// The address is what the field holds; a screen whose work is done can be used for another one.
/// The button is the command: enabled while the field holds a valid address and the service takes
/// sign-ups, and not while it executes. The work is to store the sign-up durably.
package final class SubscribeCommand: Sendable {
  /// The field: what was typed.
  package let email: Property<String>
  /// The validity signal: whether the field holds an address.
  package let emailIsValid: Signal<Bool, Never>
  /// The status line: the messages of the started, completed and failed executions, merged.
  ///
  /// Completes when the command has gone and its last execution has ended.
  package let statusEvents: Signal<StatusEvent, Never>

  private let command: Command<SignUpRequest, Never, SignUpError>

  /// Makes the command of an address.
  ///
  /// - Parameters:
  ///   - level: How strictly the field is validated.
  ///   - isServiceEnabled: Whether the service takes sign-ups.
  ///   - deliverability: What tells whether a domain takes mail; `nil` asks nobody.
  ///   - store: Where they are stored.
  ///   - now: The clock of the status messages.
  package init(
    level: EmailLevel = .form,
    isServiceEnabled: Signal<Bool, Never>,
    deliverability: DeliverabilityCheck? = nil,
    store: any SubscriberStore,
    now: @escaping @Sendable () -> Timestamp
  ) {
    let field = Property("")
    let emailIsValid = field.signal.map { EmailAddress.isValid($0, level: level) }
    let command = Command<SignUpRequest, Never, SignUpError>(
      // Most text that is typed into the field of a command that is used again is valid as well.
      enabled: combineLatest(emailIsValid.distinctUntilChanged(), isServiceEnabled) { $0 && $1 }
    ) { request in
      Self.store(request, in: store, after: deliverability)
    }
    self.email = field
    self.emailIsValid = emailIsValid
    self.command = command
    statusEvents = Self.statusEvents(of: command.executionEvents, now: now)
  }

  /// Executes for a request.
  ///
  /// - Parameter request: Who asks for what.
  /// - Returns: Completes when the sign-up is stored; or why it is not. Running already, and
  ///   replayed: subscribing does not run it again. The status messages have been sent before either.
  /// - Throws: `SignUpError`, when it was rejected.
  package func execute(
    _ request: SignUpRequest
  ) throws(SignUpError) -> Signal<Never, SignUpError> {
    do throws(NotEnabledError) {
      return try command.start(request)
    } catch {
      switch error {
      case .executing: throw .executing
      case .disabled:
        // Two signals can disable it; the validation knows whether it was the address.
        switch request.signUp {
        case .success: throw .draining
        case .failure(let error): throw .invalidAddress(error)
        }
      }
    }
  }

  private static func store(
    _ request: SignUpRequest,
    in store: any SubscriberStore,
    after check: DeliverabilityCheck?
  ) -> Signal<Never, SignUpError> {
    switch request.signUp {
    case .success(let signUp):
      // A receipt says no more than that it is stored, and so does the end.
      let stored = store.add(signUp).ignoreValues(as: Never.self)
        .mapError { SignUpError.store($0) }
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

  /// Merges the three sources of messages.
  ///
  /// Failed is told from completed by the execution's events: the original app takes "Thanks" from
  /// the end of the execution signal, which a failure reaches as well.
  private static func statusEvents(
    of events: Signal<ExecutionEvent<SignUpRequest, Never, SignUpError>, Never>,
    now: @escaping @Sendable () -> Timestamp
  ) -> Signal<StatusEvent, Never> {
    // A command has one execution at a time, so the last one started is the one that ends.
    let executions = events.scan((id: ExecutionID?.none, message: StatusMessage?.none)) {
      last,
      event in
      switch event {
      case .started(_, let request): (request.id, .started)
      case .next: (last.id, nil)
      case .completed: (last.id, .completed)
      case .failed: (last.id, .failed)
      }
    }
    let shared = executions.publish()
    shared.connect()
    func messages(_ wanted: StatusMessage) -> Signal<StatusEvent, Never> {
      shared.signal.compactMap { execution in
        guard let id = execution.id, execution.message == wanted else { return nil }
        return StatusEvent(execution: id, message: wanted, time: now())
      }
    }
    return .merge(messages(.started), messages(.completed), messages(.failed))
  }
}
