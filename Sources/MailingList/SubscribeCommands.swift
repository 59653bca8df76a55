internal import EmailAddresses
package import Signals

/// The commands of the service: one for each address with a sign-up in flight.
///
/// A request looks up the command by the comparison key of its address, or gets a new one. A
/// command without users serves another address. Therefore sign-ups for different addresses never
/// wait for each other, and a double-click never runs twice.
package final class SubscribeCommands: Sendable {
  /// The set of requests that share a command.
  package enum Scope: String, Sendable, CaseIterable {
    /// The requests for one address.
    case address
    /// All requests: strictly one sign-up at a time.
    case service
  }

  /// A command in use.
  ///
  /// The entry remains until its last user has finished, including users whose request it rejected.
  /// Otherwise a user that had looked up the command before it ended could execute it concurrently
  /// with its successor.
  private struct Entry {
    let command: SubscribeCommand
    var userCount: Int
  }

  private struct State {
    /// The commands in use, by comparison key.
    var entries: [String: Entry] = [:]
    /// Commands without users.
    ///
    /// Creating a command costs about three executions, so some are reused.
    var idle: [SubscribeCommand] = []

    /// Adds a user to the command of a key; without such a command, `spare` becomes it.
    mutating func use(_ key: String, or spare: SubscribeCommand) -> SubscribeCommand {
      func countIn(_ entry: inout Entry) -> SubscribeCommand {
        entry.userCount += 1
        return entry.command
      }
      return countIn(&entries[key, default: Entry(command: spare, userCount: 0)])
    }

    /// Removes a user from the command of a key; after the last one, other addresses can reuse it.
    ///
    /// Returns the command if it is not reused; the caller releases it.
    mutating func leave(_ key: String) -> SubscribeCommand? {
      guard let index = entries.index(forKey: key) else { return nil }
      guard entries.values[index].userCount > 1 else {
        return recycle(entries.remove(at: index).value.command)
      }
      entries.values[index].userCount -= 1
      return nil
    }

    /// Stores a command without users for reuse.
    ///
    /// Returns the command if enough are stored. The caller releases it outside the lock, because
    /// releasing a command runs signals.
    mutating func recycle(_ command: SubscribeCommand) -> SubscribeCommand? {
      guard idle.count < maximumIdleCount else { return command }
      idle.append(command)
      return nil
    }
  }

  /// The maximum number of stored commands without users.
  private static let maximumIdleCount = 256

  /// Whether sign-ups are accepted; `false` while the service is draining.
  package let isEnabled = Property(true)
  package let scope: Scope

  private let store: any ListStore
  private let deliverability: DeliverabilityCheck?
  private let metrics: ExecutionMetrics
  private let record: @Sendable (StatusEvent) -> Void
  private let now: @Sendable () -> Timestamp
  private let merged = Subject<StatusEvent, Never>()
  private let state = Lock(State())

  /// Creates the commands of a service; without `deliverability`, they do not check whether a
  /// domain accepts mail.
  ///
  /// - Parameter record: Called with each status message before it is sent and before the outcome of
  ///   its execution is reported, on the thread of the execution: in order for one execution,
  ///   concurrently for several.
  package init(
    store: any ListStore, scope: Scope = .address, deliverability: DeliverabilityCheck? = nil,
    metrics: ExecutionMetrics = ExecutionMetrics(),
    now: @escaping @Sendable () -> Timestamp = { .now },
    recordingWith record: @escaping @Sendable (StatusEvent) -> Void = { _ in }
  ) {
    self.store = store
    self.scope = scope
    self.deliverability = deliverability
    self.metrics = metrics
    self.now = now
    self.record = record
  }

  /// The status messages of all commands, merged into one hot signal.
  ///
  /// Messages are sent one at a time. A message that arrives while another one is being sent is
  /// sent next, on the same thread, so it may follow the outcome of its execution.
  package var statusEvents: Signal<StatusEvent, Never> { merged.signal }

  /// Executes the command of the requested address.
  ///
  /// - Parameter ended: Called once, when the sign-up is stored or has failed, on the thread on
  ///   which the execution ends, possibly before this function returns. It may execute the command
  ///   again. A closure rather than a returned signal, because each user must be removed when its
  ///   execution ends: one subscription then serves both.
  package func execute(
    _ request: SignUpRequest, ended: @escaping @Sendable (End<SignUpError>) -> Void
  ) {
    // The state is read here instead of being part of the signal that enables a command: otherwise
    // all commands would subscribe to one property, and a command could get its value from a thread
    // that is creating another command, after its own execution. A sign-up that passes this line
    // while draining begins finishes like those in flight.
    if case .success = request.signUp, !isEnabled.value { return ended(.failed(.draining)) }
    let key = key(of: request)
    let command = key.map { checkOut($0, for: request.email) } ?? takeIdle(for: request.email)
    do throws(SignUpError) {
      // A literal closure: another one would be converted, which allocates.
      try command.execute(request).subscribe(
        Observer(next: { _ in }, end: { self.leave(command, key, with: $0, ended) }))
    } catch {
      leave(command, key, with: .failed(error), ended)
    }
  }

  private func leave(
    _ command: SubscribeCommand, _ key: String?, with end: End<SignUpError>,
    _ ended: @Sendable (End<SignUpError>) -> Void
  ) {
    // Also if another replica was storing the address.
    if case .failed(.executing) = end { metrics.countConflict() }
    leave(command, key)
    ended(end)
  }

  /// The key of the command; `nil` for an invalid address.
  ///
  /// A request with an invalid address gets its own command, which is disabled and throws the
  /// reason.
  private func key(of request: SignUpRequest) -> String? {
    switch (request.signUp, scope) {
    case (.success(let signUp), .address): signUp.address.key
    case (.success, .service): ""
    case (.failure, _): nil
    }
  }

  /// Returns the command of a key, with one more user.
  private func checkOut(
    _ key: String, for email: Result<EmailAddress, EmailAddressError>
  ) -> SubscribeCommand {
    // Prepared before the lookup: setting the field runs signals, which must happen outside the
    // lock, and most keys have no command yet.
    let spare = takeIdle(for: email)
    let command = state.withLock { $0.use(key, or: spare) }
    if command !== spare { leave(spare, nil) }
    return command
  }

  /// Removes a user from a command after its execution or rejection.
  private func leave(_ command: SubscribeCommand, _ key: String?) {
    _ = state.withLock { state in
      if let key { state.leave(key) } else { state.recycle(command) }
    }
  }

  /// Returns a command without other users, with the address of a request in its field.
  private func takeIdle(for email: Result<EmailAddress, EmailAddressError>) -> SubscribeCommand {
    let command = state.withLock { $0.idle.popLast() } ?? makeCommand()
    command.email.value = email
    return command
  }

  private func makeCommand() -> SubscribeCommand {
    let command = SubscribeCommand(deliverability: deliverability, store: store, now: now)
    // Before the first execution, so that no message is lost, and on this thread: a signal of signals
    // would leave the subscription to a thread that is sending. Not `self`, which keeps the command.
    command.statusEvents.subscribe(next: { [record, metrics, merged] event in
      record(event)
      metrics.count(event.message)
      merged.send(event)
    })
    return command
  }
}
