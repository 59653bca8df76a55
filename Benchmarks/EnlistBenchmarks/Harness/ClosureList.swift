internal import Synchronization

/// The floor: handwritten observers, a list of closures under a `Mutex`.
///
/// It keeps none of the promises of Signals: events of two threads overlap, there is no end event,
/// and a removed closure may be called once more.
final class ClosureList<Value>: Sendable {
  private struct State: Sendable {
    var nextID = 0
    var closures: [(id: Int, call: @Sendable (Value) -> Void)] = []
  }

  private let state = Mutex(State())

  /// Adds a closure and returns the key that removes it.
  func add(_ closure: @escaping @Sendable (Value) -> Void) -> Int {
    state.withLock { state in
      state.nextID += 1
      state.closures.append((state.nextID, closure))
      return state.nextID
    }
  }

  func remove(_ id: Int) {
    state.withLock { state in
      state.closures.removeAll { $0.id == id }
    }
  }

  /// Calls all closures, outside the lock.
  func send(_ value: Value) {
    let closures = state.withLock { $0.closures }
    for closure in closures { closure.call(value) }
  }
}
