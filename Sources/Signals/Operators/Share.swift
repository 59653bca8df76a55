internal import Locks

extension Signal {
  /// Shares one subscription among those who are subscribed at the same time.
  ///
  /// The signal is subscribed for the first subscriber, and disposed when the last one has gone;
  /// whoever comes after that begins anew. So does whoever subscribes when it has ended, also from
  /// within the callback that receives the end: subscribers that retry share the next attempt.
  /// Nothing is remembered for those who come late.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.share()
  /// ```
  ///
  /// - Returns: A signal that runs its source once at a time.
  public func share() -> Signal {
    Sharing(self) { $0.publish() }.signal
  }
}

/// The connection that is shared at a time.
final class Sharing<Value: Sendable, Failure: Error>: Sendable {
  /// A connection to the source, for as long as its source and one of its subscribers are there.
  final class Shared: Sendable {
    let connection: MulticastConnection<Value, Failure>
    fileprivate let name: Name
    // nonisolated(unsafe) because it is touched only inside the lock.
    fileprivate nonisolated(unsafe) var count = 0

    init(_ connection: MulticastConnection<Value, Failure>, name: Name) {
      self.connection = connection
      self.name = name
    }
  }

  /// By which the source of a connection, which cannot hold it, knows it.
  final class Name: Sendable {}

  private let source: Signal<Value, Failure>
  private let makeConnection:
    @Sendable (Signal<Value, Failure>) -> MulticastConnection<Value, Failure>
  private let current = Lock<Shared?>(nil)

  /// Shares a signal.
  ///
  /// - Parameters:
  ///   - source: The signal.
  ///   - makeConnection: Makes a connection to it, not yet connected.
  init(
    _ source: Signal<Value, Failure>,
    _ makeConnection:
      @escaping @Sendable (Signal<Value, Failure>) -> MulticastConnection<Value, Failure>
  ) {
    self.source = source
    self.makeConnection = makeConnection
  }

  /// Subscribes the source for the first subscriber, and disposes it with the last one.
  var signal: Signal<Value, Failure> {
    Signal(attaching: { observer, subscription in
      let shared = self.enter()
      subscription.add(AnyDisposable { self.leave(shared) })
      shared.connection.signal.attach(observer, subscription)
      shared.connection.connect()
    })
  }

  /// Takes part in the connection of this moment.
  private func enter() -> Shared {
    let name = Name()
    let fresh = Shared(makeConnection(named(name)), name: name)
    return current.withLock { current in
      let shared = current ?? fresh
      current = shared
      shared.count += 1
      return shared
    }
  }

  private func leave(_ shared: Shared) {
    let isLast = current.withLock { current in
      shared.count -= 1
      guard shared.count == 0 else { return false }
      if current === shared { current = nil }
      return true
    }
    if isLast { shared.connection.connect().dispose() }
  }

  /// The source of one connection, which is forgotten before its end is passed on: whoever subscribes
  /// because of the end gets another one.
  private func named(_ name: Name) -> Signal<Value, Failure> {
    let source = source
    return Signal(attaching: { [weak self] observer, subscription in
      let forget: @Sendable () -> Void = { [weak self] in self?.forget(name) }
      source.attach(
        Observer(
          next: observer.onNext,
          end: { end in
            forget()
            observer.onEnd(end)
          }
        ),
        subscription
      )
    })
  }

  private func forget(_ name: Name) {
    let forgotten: Shared? = current.withLock { current in
      current?.name === name ? current.take() : nil
    }
    // Released after the lock.
    _ = forgotten
  }
}
