extension Signal {
  /// Shares one subscription through a given subject; does nothing until connected.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.multicast(ReplaySubject(capacity: 1)).autoconnect()
  /// ```
  ///
  /// - Parameter subject: The subject that receives the events and passes them on.
  /// - Returns: The connection, not yet connected.
  @inlinable
  public func multicast(
    _ subject: some SubjectProtocol<Value, Failure>
  ) -> MulticastConnection<Value, Failure> {
    MulticastConnection(source: self, signal: subject.signal, observer: subject.observer)
  }

  /// Shares one subscription through a ``Subject``, which remembers nothing.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.publish().autoconnect()
  /// ```
  ///
  /// - Returns: The connection, not yet connected.
  @inlinable
  public func publish() -> MulticastConnection<Value, Failure> {
    multicast(Subject())
  }

  /// Subscribes immediately, and sends all events from the beginning to every observer.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.replay()
  /// ```
  ///
  /// - Returns: The shared signal; subscribing it does not repeat the work, and disposing does not
  ///   cancel it.
  @inlinable
  public func replay() -> Signal {
    let connection = multicast(ReplaySubject())
    connection.connect()
    return connection.signal
  }

  /// Subscribes immediately, and sends the last value and all later events to every observer.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.replayLast()
  /// ```
  ///
  /// - Returns: The shared signal; subscribing it does not repeat the work, and disposing does not
  ///   cancel it.
  @inlinable
  public func replayLast() -> Signal {
    let connection = multicast(ReplaySubject(capacity: 1))
    connection.connect()
    return connection.signal
  }

  /// Subscribes with the first observer, and sends all events from the beginning to every observer.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.replayLazily()
  /// ```
  ///
  /// - Returns: The shared signal; the work continues when all observers have left.
  @inlinable
  public func replayLazily() -> Signal {
    let connection = multicast(ReplaySubject())
    return Signal(attaching: { observer, subscription in
      connection.connect()
      connection.signal.attach(observer, subscription)
    })
  }
}
