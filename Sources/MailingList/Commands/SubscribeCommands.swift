internal import Locks
package import Signals

/// The commands of all addresses: one for each address that is being signed up.
///
/// A command is made, or found, for the comparison key of the address and lives while somebody
/// executes it; then it serves another address. So two people never wait for each other, and two
/// taps on the same button never run twice.
package final class SubscribeCommands: Sendable {
  /// Who shares a command.
  package enum Scope: String, Sendable, CaseIterable {
    /// The requests for one address.
    case address
    /// All requests: strictly one sign-up at a time.
    case service
  }

  /// A command in use.
  ///
  /// It is kept until the last of its users has done, also those it rejected: otherwise one who found
  /// it before its end could execute it beside its successor.
  private struct Entry {
    let command: SubscribeCommand
    var userCount: Int
  }

  private struct State {
    /// The commands in use, by comparison key.
    var entries: [String: Entry] = [:]
    /// Commands that nobody uses.
    ///
    /// Making one costs as much as an execution, so some are kept.
    var idle: [SubscribeCommand] = []

    /// Counts a user of the command of a key in.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - spare: What becomes its command if it has none.
    /// - Returns: The command.
    mutating func use(_ key: String, or spare: SubscribeCommand) -> SubscribeCommand {
      func countIn(_ entry: inout Entry) -> SubscribeCommand {
        entry.userCount += 1
        return entry.command
      }
      return countIn(&entries[key, default: Entry(command: spare, userCount: 0)])
    }

    /// Counts a user of the command of a key out; the last one leaves it to other addresses.
    ///
    /// - Returns: The command, when it is not kept.
    mutating func leave(_ key: String) -> SubscribeCommand? {
      guard let index = entries.index(forKey: key) else { return nil }
      guard entries.values[index].userCount > 1 else {
        return recycle(entries.remove(at: index).value.command)
      }
      entries.values[index].userCount -= 1
      return nil
    }

    /// Keeps a command that nobody uses.
    ///
    /// - Returns: The command, when there are enough: letting go of it runs signals, which is not
    ///   done within a lock.
    mutating func recycle(_ command: SubscribeCommand) -> SubscribeCommand? {
      guard idle.count < maximumIdleCount else { return command }
      idle.append(command)
      return nil
    }
  }

  /// How many commands that nobody uses are kept.
  private static let maximumIdleCount = 256

  /// Whether sign-ups are taken; switched off when the service is about to stop.
  package let isEnabled = Property(true)
  /// The status messages of all commands.
  package let statusFeed = StatusFeed()
  /// Who shares a command.
  package let scope: Scope
  /// How strictly addresses are validated.
  package let level: EmailLevel

  private let store: any SubscriberStore
  private let deliverability: DeliverabilityCheck?
  private let now: @Sendable () -> Timestamp
  private let state = Lock(State())

  /// Makes commands that store.
  ///
  /// - Parameters:
  ///   - store: Where sign-ups are stored.
  ///   - scope: Who shares a command.
  ///   - level: How strictly addresses are validated.
  ///   - deliverability: What tells whether a domain takes mail; `nil` asks nobody.
  ///   - now: The clock of the status messages.
  package init(
    store: any SubscriberStore,
    scope: Scope = .address,
    level: EmailLevel = .form,
    deliverability: DeliverabilityCheck? = nil,
    now: @escaping @Sendable () -> Timestamp = { .now }
  ) {
    self.store = store
    self.scope = scope
    self.level = level
    self.deliverability = deliverability
    self.now = now
  }

  /// How many commands are in use.
  var commandCount: Int { state.withLock { $0.entries.count } }

  /// Executes the command of the address that was typed.
  ///
  /// - Parameters:
  ///   - request: Who asks for what.
  ///   - ended: Called once: the sign-up is stored, or why it is not. On the thread on which it ends,
  ///     perhaps before this returns; the command may be executed again within it. It is given here,
  ///     rather than subscribed to a signal, because each user has to be counted out at the end: so
  ///     the end is waited for once, not twice.
  package func execute(
    _ request: SignUpRequest,
    ended: @escaping @Sendable (End<SignUpError>) -> Void
  ) {
    let key = key(of: request)
    let command = key.map { checkOut($0, for: request.email) } ?? takeIdle(for: request.email)
    do throws(SignUpError) {
      try command.execute(request).subscribe(
        Observer(
          next: { _ in },
          end: { end in
            self.leave(command, key)
            ended(end)
          }
        )
      )
    } catch {
      leave(command, key)
      ended(.failed(error))
    }
  }

  /// The key of the command; `nil` when the address is not valid.
  ///
  /// Then it is a command of its own, which is not enabled and says why.
  private func key(of request: SignUpRequest) -> String? {
    switch (request.signUp, scope) {
    case (.success(let signUp), .address): signUp.address.key
    case (.success, .service): ""
    case (.failure, _): nil
    }
  }

  /// Counts a user of the command of a key in.
  private func checkOut(_ key: String, for typed: String) -> SubscribeCommand {
    // Before it is looked for, since typing into the field runs signals, which is not done within a
    // lock, and mostly there is none.
    let spare = takeIdle(for: typed)
    let command = state.withLock { $0.use(key, or: spare) }
    if command !== spare { leave(spare, nil) }
    return command
  }

  /// Takes leave of a command that was executed, or rejected to.
  private func leave(_ command: SubscribeCommand, _ key: String?) {
    _ = state.withLock { state in
      if let key { state.leave(key) } else { state.recycle(command) }
    }
  }

  /// A command that nobody else has, with the address typed into its field.
  private func takeIdle(for typed: String) -> SubscribeCommand {
    let command = state.withLock { $0.idle.popLast() } ?? makeCommand()
    command.email.value = typed
    return command
  }

  private func makeCommand() -> SubscribeCommand {
    let command = SubscribeCommand(
      level: level,
      isServiceEnabled: isEnabled.signal,
      deliverability: deliverability,
      store: store,
      now: now
    )
    // Before anybody can execute it, so that no message is lost.
    statusFeed.add(command)
    return command
  }
}
