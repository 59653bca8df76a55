extension Signal {
  /// Shares one subscription through a subject of your choice; does nothing until connected.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.multicast(ReplaySubject(capacity: 1)).autoconnect()
  /// ```
  ///
  /// - Parameter subject: Receives the events and passes them on: a ``Subject``, or one that
  ///   remembers for late subscribers.
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

  /// Subscribes now, and gives every subscriber all events from the beginning.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.replay()
  /// ```
  ///
  /// - Returns: The shared signal; no subscriber of it repeats or cancels the work.
  @inlinable
  public func replay() -> Signal {
    let connection = multicast(ReplaySubject())
    connection.connect()
    return connection.signal
  }

  /// Subscribes now, and gives every subscriber the last value and what follows.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.replayLast()
  /// ```
  ///
  /// - Returns: The shared signal; no subscriber of it repeats or cancels the work.
  @inlinable
  public func replayLast() -> Signal {
    let connection = multicast(ReplaySubject(capacity: 1))
    connection.connect()
    return connection.signal
  }

  /// Subscribes when first subscribed, and gives every subscriber all events from the beginning.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.replayLazily()
  /// ```
  ///
  /// - Returns: The shared signal; when all its subscribers go, the work still goes on.
  @inlinable
  public func replayLazily() -> Signal {
    let connection = multicast(ReplaySubject())
    return Signal(attaching: { observer, subscription in
      connection.connect()
      connection.signal.attach(observer, subscription)
    })
  }
}
