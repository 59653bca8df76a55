internal import Signals

/// The reports about a store's connections to one server: one when the first connection is lost,
/// and one when all are ready again.
final class ConnectionReports: Sendable {
  private struct State {
    var isOpen = false
    var isWaiting = false
    var lost: Set<OpenConnections.Role> = []
    var rejection: String?
  }

  private let state = Lock(State())

  /// Records that the store is open, which ends the wait for the server at startup.
  func opened() {
    state.withLock { state in
      state.isOpen = true
      state.lost = []
      state.rejection = nil
    }
  }

  /// Returns the report of a connection's change; `nil` if the change is not reported.
  func line(for change: ConnectionReport, of role: OpenConnections.Role) -> StoreReport? {
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
        // At startup, the reason is part of the error of opening.
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
