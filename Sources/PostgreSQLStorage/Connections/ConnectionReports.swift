internal import Locks

/// The reports about the connections of a store, which lead to the same server: one
/// line when it goes away, and one when it is back.
final class ConnectionReports: Sendable {
  private struct State {
    var isOpen = false
    var isWaiting = false
    var lost: Set<OpenConnections.Role> = []
    var rejection: String?
  }

  private let state = Lock(State())

  /// Records that the store is open: until then the server is waited for.
  func opened() {
    state.withLock { state in
      state.isOpen = true
      state.lost = []
      state.rejection = nil
    }
  }

  /// Returns the line that a change of a connection leads to.
  ///
  /// - Returns: The line, if there is one.
  func line(
    for change: ConnectionReport,
    of role: OpenConnections.Role
  ) -> StoreReport? {
    state.withLock { state in
      switch change {
      case .warning: return role == .writer ? .connection(change) : nil
      case .lost(let server, let reason):
        if !state.isOpen {
          defer { state.isWaiting = true }
          return state.isWaiting ? nil : .waiting(server: server, reason: reason)
        }
        defer { state.lost.insert(role) }
        return state.lost.isEmpty ? .connection(change) : nil
      case .rejected(_, let reason):
        // At startup it is the reason that the store is not opened.
        guard state.isOpen else { return nil }
        state.lost.insert(role)
        defer { state.rejection = reason }
        return state.rejection == reason ? nil : .connection(change)
      case .back:
        guard state.isOpen, state.lost.remove(role) != nil, state.lost.isEmpty else { return nil }
        state.rejection = nil
        return .connection(change)
      }
    }
  }
}
