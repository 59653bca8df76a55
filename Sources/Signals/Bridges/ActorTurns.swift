/// Runs work on an actor in the order in which it was added: a task for each piece of work would
/// not keep it.
final class ActorTurns: Sendable {
  /// The number of works that run before other work of the actor gets a turn.
  private static let limit = 1_024

  private struct State {
    var works = FIFOQueue<@Sendable () -> Void>()
    var hasTask = false
  }

  private let state = Lock(State())
  // nonisolated(unsafe) because it is never set again.
  private nonisolated(unsafe) weak var actor: (any Actor)?

  /// Makes a queue for an actor, which it does not keep alive.
  init(_ actor: any Actor) {
    self.actor = actor
  }

  /// Adds work, which a released actor runs nowhere in particular.
  func add(_ work: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.works.append(work)
      defer { state.hasTask = true }
      return !state.hasTask
    }
    if isFirst { startTask() }
  }

  private func startTask() {
    Task { await run(on: actor) }
  }

  private func run(on actor: isolated (any Actor)?) {
    for _ in 0..<Self.limit {
      let next = state.withLock { state in
        let next = state.works.popFirst()
        if next == nil { state.hasTask = false }
        return next
      }
      guard let next else { return }
      next()
    }
    startTask()
  }
}
