internal import Locks
package import Signals

/// The commands of all addresses: one for each address that is being signed up.
///
/// A command is made, or found, for the comparison key of the address and lives while somebody
/// executes it. So two people never wait for each other, and two taps on the same button never run
/// twice.
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
  /// It is kept until the last of its users has done, also those it refused: otherwise one who found
  /// it before its end could execute it beside its successor.
  fileprivate struct Entry {
    let command: SubscribeCommand
    var userCount: Int
  }

  /// Whether sign-ups are taken; switched off when the service is about to stop.
  package let isEnabled = Property(true)
  /// The status messages of all commands.
  package let statusFeed = StatusFeed()
  /// Who shares a command.
  package let scope: Scope

  private let store: any SubscriberStore
  private let now: @Sendable () -> Timestamp
  private let entries = Lock<[String: Entry]>([:])

  /// Makes commands that store.
  ///
  /// - Parameters:
  ///   - store: Where sign-ups are stored.
  ///   - scope: Who shares a command.
  ///   - now: The clock of the status messages.
  package init(
    store: any SubscriberStore,
    scope: Scope = .address,
    now: @escaping @Sendable () -> Timestamp = { .now }
  ) {
    self.store = store
    self.scope = scope
    self.now = now
  }

  /// How many commands are kept: those in use.
  var commandCount: Int { entries.withLock { $0.count } }

  /// Executes the command of the address that was typed.
  ///
  /// - Parameter request: Who asks for what.
  /// - Returns: The receipt, when the sign-up is stored; or why it is not. Running already, and
  ///   replayed: subscribing does not run it again.
  package func execute(_ request: SubscribeRequest) -> Signal<Receipt, SubscribeError> {
    guard let key = key(of: request.email) else {
      // Not a valid address: a command of its own, which is not enabled and says why.
      return makeCommand(for: request.email).execute(request)
    }
    let command = checkOut(key, for: request.email)
    let outcome = command.execute(request)
    outcome.subscribe(
      failed: { _ in self.checkIn(key) },
      completed: { self.checkIn(key) }
    )
    return outcome
  }

  private func key(of typed: String) -> String? {
    do throws(EmailRefusal) {
      let address = try EmailAddress.judge(typed)
      switch scope {
      case .address: return address.key
      case .service: return ""
      }
    } catch {
      return nil
    }
  }

  private func makeCommand(for typed: String) -> SubscribeCommand {
    SubscribeCommand(email: typed, isServiceEnabled: isEnabled.signal, store: store, now: now)
  }

  private func checkOut(_ key: String, for typed: String) -> SubscribeCommand {
    if let command = entries.withLock({ $0.use(key) }) { return command }
    // Made outside the lock, since making it runs signals; perhaps another one was made meanwhile,
    // and this one goes. It joins the feed before anybody can find it, so that no message is lost.
    let made = makeCommand(for: typed)
    statusFeed.add(made)
    return entries.withLock { entries in
      if let command = entries.use(key) { return command }
      entries[key] = Entry(command: made, userCount: 1)
      return made
    }
  }

  private func checkIn(_ key: String) {
    // Let go of outside the lock: the end of a command is an event.
    let last: SubscribeCommand? = entries.withLock { entries in
      guard var entry = entries[key] else { return nil }
      entry.userCount -= 1
      guard entry.userCount == 0 else {
        entries[key] = entry
        return nil
      }
      return entries.removeValue(forKey: key)?.command
    }
    _ = last
  }
}

extension [String: SubscribeCommands.Entry] {
  /// Counts a user of a command in, if there is the command.
  fileprivate mutating func use(_ key: String) -> SubscribeCommand? {
    self[key]?.userCount += 1
    return self[key]?.command
  }
}
