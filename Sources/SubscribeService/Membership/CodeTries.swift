internal import Locks
internal import MailingList

/// The number of attempts at a code for each execution; its limit is that of each mail.
///
/// The numbers are in memory, in two halves: when the newer one is full, the older one is
/// forgotten. So memory is bounded, each call takes constant time, and forgetting an execution
/// takes thousands of other sign-ups. The store counts the attempts of each mail.
final class CodeTries: Sendable {
  private struct State {
    var newer: [ExecutionID: Int] = [:]
    var older: [ExecutionID: Int] = [:]
  }

  private let halfCapacity: Int
  private let state = Lock(State())

  init(capacity: Int = 65_536) {
    halfCapacity = max(1, capacity / 2)
  }

  /// Counts an attempt before the code is compared, so that all concurrent attempts count.
  ///
  /// Returns the number of remaining attempts; `nil` if none remained.
  func begin(_ id: ExecutionID) -> Int? {
    state.withLock { state in
      let count = Self.count(of: id, in: state)
      guard count < MailCredentials.codeTries else { return nil }
      set(count + 1, of: id, in: &state)
      return MailCredentials.codeTries - count - 1
    }
  }

  /// Cancels an attempt, because the code was not wrong, or was not compared.
  func cancel(_ id: ExecutionID) {
    state.withLock { state in
      let count = Self.count(of: id, in: state)
      if count > 0 { set(count - 1, of: id, in: &state) }
    }
  }

  private static func count(of id: ExecutionID, in state: State) -> Int {
    state.newer[id] ?? state.older[id] ?? 0
  }

  private func set(_ count: Int, of id: ExecutionID, in state: inout State) {
    state.older.removeValue(forKey: id)
    guard count > 0 else {
      state.newer.removeValue(forKey: id)
      return
    }
    if state.newer[id] == nil, state.newer.count >= halfCapacity {
      state.older = state.newer
      state.newer = [:]
    }
    state.newer[id] = count
  }
}
