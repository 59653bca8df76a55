internal import Locks

extension Signal {
  /// Shares one subscription among those who are subscribed at the same time.
  ///
  /// The signal is subscribed for the first subscriber, and disposed when the last one has gone;
  /// whoever comes after that begins anew. Nothing is remembered for those who come late.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.share()
  /// ```
  ///
  /// - Returns: A signal that runs its source once at a time.
  public func share() -> Signal {
    let sharing = Sharing(self)
    return Signal(attaching: { observer, subscription in
      let connection = sharing.enter()
      subscription.add(AnyDisposable { sharing.leave(connection) })
      connection.signal.attach(observer, subscription)
      connection.connect()
    })
  }
}

/// The connection that is shared at a time, and by how many.
private final class Sharing<Value: Sendable, Failure: Error>: Sendable {
  typealias Connection = MulticastConnection<Value, Failure>

  private struct State {
    var connection: Connection?
    var count = 0
  }

  private let source: Signal<Value, Failure>
  private let state = Lock(State())

  init(_ source: Signal<Value, Failure>) {
    self.source = source
  }

  func enter() -> Connection {
    let fresh = source.publish()
    return state.withLock { state in
      let connection = state.connection ?? fresh
      state.connection = connection
      state.count += 1
      return connection
    }
  }

  func leave(_ connection: Connection) {
    let isLast = state.withLock { state in
      state.count -= 1
      guard state.count == 0 else { return false }
      state.connection = nil
      return true
    }
    if isLast { connection.connect().dispose() }
  }
}
