/// One subscription to a source, shared through a subject.
///
/// ``Signal/multicast(_:)`` and ``Signal/publish()`` make it. The source is subscribed by
/// ``connect()``, and never twice.
public final class MulticastConnection<Value: Sendable, Failure: Error>: Sendable {
  private let source: Signal<Value, Failure>
  /// The observer of the subject, which holds the subject, until the source is connected.
  ///
  /// From then on only the source holds it: the subject is released with the source, and with the
  /// subject its observers, which hold this connection.
  private let unconnected: Lock<Observer<Value, Failure>?>
  private let connection = CompositeDisposable()
  private let audience: Audience

  /// Makes a connection of the signal and the observer of a subject, which are made where its type
  /// is known, so that their code is specialized.
  @usableFromInline
  init(
    source: Signal<Value, Failure>, signal: Signal<Value, Failure>,
    observer: Observer<Value, Failure>
  ) {
    self.source = source
    self.signal = signal
    unconnected = Lock(observer)
    audience = Audience(connection)
  }

  /// The signal of the subject; subscribing it does not connect.
  public let signal: Signal<Value, Failure>

  /// Subscribes the subject to the source, the first time.
  ///
  /// - Returns: The subscription to the source, always the same one, even after it was disposed: a
  ///   connection does not reconnect. Disposing it sends no end to the observers.
  @discardableResult
  public func connect() -> any Disposable {
    let observer = unconnected.withLock { $0.take() }
    if let observer { source.attach(observer, until: connection) }
    return connection
  }

  /// Returns a signal that connects with its first observer, and disconnects when its last observer
  /// has left.
  ///
  /// The subject is subscribed before the source, so that no event of a synchronous source is
  /// missed.
  public func autoconnect() -> Signal<Value, Failure> {
    Signal(attaching: { observer, subscription in
      self.audience.enter()
      // Captures only the audience: observers that held the subject, which holds them, would not be
      // released with the source.
      subscription.add(AnyDisposable { [audience = self.audience] in audience.leave() })
      self.signal.attach(observer, subscription)
      self.connect()
    })
  }
}

/// The number of observers of a connection, which ends when the last one leaves.
private final class Audience: Sendable {
  private let count = Lock(0)
  private let connection: CompositeDisposable

  init(_ connection: CompositeDisposable) {
    self.connection = connection
  }

  func enter() {
    count.withLock { $0 += 1 }
  }

  func leave() {
    let isLast = count.withLock { count in
      count -= 1
      return count == 0
    }
    if isLast { connection.dispose() }
  }
}
