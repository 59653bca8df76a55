internal import Locks
internal import MailingList

/// The codes that were tried for each execution, whatever they were: as many as for each mail.
///
/// They are kept in memory, in two halves: when the newer one is full, the older one is forgotten.
/// So memory is bounded, each call takes constant time, and forgetting an execution takes thousands
/// of other sign-ups. The store counts those of each mail.
final class CodeTries: Sendable {
  private struct State {
    var newer: [ExecutionID: Int] = [:]
    var older: [ExecutionID: Int] = [:]
  }

  private let halfCapacity: Int
  private let state = Lock(State())

  /// Creates tries of no execution.
  init(capacity: Int = 65_536) {
    halfCapacity = max(1, capacity / 2)
  }

  /// Counts a try before the code is compared, so that concurrent tries all count.
  ///
  /// - Returns: How many tries are left afterwards; `nil` if none was left.
  func begin(_ id: ExecutionID) -> Int? {
    state.withLock { state in
      let count = Self.count(of: id, in: state)
      guard count < MailCredentials.codeTries else { return nil }
      set(count + 1, of: id, in: &state)
      return MailCredentials.codeTries - count - 1
    }
  }

  /// Takes a try back, because the code was not wrong, or was not compared.
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
