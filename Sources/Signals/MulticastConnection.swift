internal import Locks

/// One subscription to a source, shared through a subject.
///
/// It is made by ``Signal/multicast(_:)`` and ``Signal/publish()``. The source is not subscribed
/// before ``connect()``, and never twice.
public final class MulticastConnection<Value: Sendable, Failure: Error>: Sendable {
  private let source: Signal<Value, Failure>
  /// The subject's observer, which keeps the subject, until it is connected.
  ///
  /// From then on the source alone keeps it: when the source goes, so does the subject, and with it
  /// its subscribers, which keep this connection.
  private let unconnected: Lock<Observer<Value, Failure>?>
  private let connection = CompositeDisposable()
  private let audience: Audience

  /// Makes one of the two ends of a subject: taken where its type is known, and code specialized.
  @usableFromInline
  init(
    source: Signal<Value, Failure>,
    signal: Signal<Value, Failure>,
    observer: Observer<Value, Failure>
  ) {
    self.source = source
    self.signal = signal
    unconnected = Lock(observer)
    audience = Audience(connection)
  }

  /// What the subject sends; subscribing it does not connect.
  public let signal: Signal<Value, Failure>

  /// Subscribes the subject to the source, the first time.
  ///
  /// - Returns: The subscription to the source, always the same one, also after it was disposed:
  ///   a connection does not reconnect. Disposing it sends the subscribers no end.
  @discardableResult
  public func connect() -> any Disposable {
    let observer = unconnected.withLock { $0.take() }
    if let observer { source.attach(observer, until: connection) }
    return connection
  }

  /// A signal that connects when it is first subscribed, and disconnects when its last subscriber
  /// has gone.
  ///
  /// The subject is subscribed before the source, so a synchronous source is not missed.
  public func autoconnect() -> Signal<Value, Failure> {
    Signal(attaching: { observer, subscription in
      self.audience.enter()
      // Holds the audience only: subscribers that held the subject, which holds them, would stay
      // when the source has gone.
      subscription.add(AnyDisposable { [audience = self.audience] in audience.leave() })
      self.signal.attach(observer, subscription)
      self.connect()
    })
  }
}

/// Counts the subscribers of a connection, and ends it when the last one leaves.
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
