internal import Locks

/// One subscription to a source, shared through a subject.
///
/// It is made by ``Signal/multicast(_:)`` and ``Signal/publish()``. The source is not subscribed
/// before ``connect()``, and never twice.
public final class MulticastConnection<Value: Sendable, Failure: Error>: Sendable {
  private let source: Signal<Value, Failure>
  /// The subject until it is connected.
  ///
  /// From then on the source alone keeps it: when the source goes, so does the subject, and with it
  /// its subscribers, which keep this connection.
  private let unconnected: Lock<(any SubjectProtocol<Value, Failure>)?>
  private let connection = CompositeDisposable()
  private let subscriberCount = Lock(0)

  init(source: Signal<Value, Failure>, subject: any SubjectProtocol<Value, Failure>) {
    self.source = source
    unconnected = Lock(subject)
    signal = subject.signal
  }

  /// What the subject sends; subscribing it does not connect.
  public let signal: Signal<Value, Failure>

  /// Subscribes the subject to the source, the first time.
  ///
  /// - Returns: The subscription to the source, always the same one, also after it was disposed:
  ///   a connection does not reconnect. Disposing it sends the subscribers no end.
  @discardableResult
  public func connect() -> any Disposable {
    let subject: (any SubjectProtocol<Value, Failure>)? = unconnected.withLock { unconnected in
      defer { unconnected = nil }
      return unconnected
    }
    if let subject { source.attach(subject.observer, until: connection) }
    return connection
  }

  /// A signal that connects when it is first subscribed, and disconnects when its last subscriber
  /// has gone.
  ///
  /// The subject is subscribed before the source, so a synchronous source is not missed.
  public func autoconnect() -> Signal<Value, Failure> {
    Signal(attaching: { observer, subscription in
      self.subscriberCount.withLock { $0 += 1 }
      subscription.add(
        AnyDisposable {
          let isLast = self.subscriberCount.withLock { count in
            count -= 1
            return count == 0
          }
          if isLast { self.connection.dispose() }
        }
      )
      self.signal.attach(observer, subscription)
      self.connect()
    })
  }
}
