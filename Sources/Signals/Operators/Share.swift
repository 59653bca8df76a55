extension Signal {
  /// Shares one subscription among the observers of the same time.
  ///
  /// The signal is subscribed for the first observer, and disposed when the last one has left. An
  /// observer that comes later subscribes it again, also after its end and from within the callback
  /// that receives the end: observers that retry share the next attempt. Nothing is replayed to
  /// late observers.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.share()
  /// ```
  ///
  /// - Returns: A signal that has at most one subscription to its source at a time.
  public func share() -> Signal {
    Sharing(self) { $0.publish() }.signal
  }
}

/// The current connection to the source.
final class Sharing<Value: Sendable, Failure: Error>: Sendable {
  /// A connection to the source, which lives as long as its source and one of its observers.
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

  /// The number by which the source of a connection, which cannot hold it, identifies it.
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

  /// Subscribes the source for the first observer, and disposes it with the last one.
  var signal: Signal<Value, Failure> {
    Signal(attaching: { observer, subscription in
      let shared = self.enter()
      subscription.add(AnyDisposable { self.leave(shared) })
      shared.connection.signal.attach(observer, subscription)
      shared.connection.connect()
    })
  }

  /// Joins the current connection, or makes one; it is made outside the lock.
  private func enter() -> Shared {
    let joined: Shared? = current.withLock { current in
      current?.count += 1
      return current
    }
    if let joined { return joined }
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

  /// The source of one connection, which is forgotten before its end is passed on: an observer that
  /// subscribes because of the end gets a new one.
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
    // Released after the lock: releasing it may run other code.
    _ = forgotten
  }
}
