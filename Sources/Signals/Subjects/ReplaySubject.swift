/// A hot signal that replays its last values, and its end, to later observers.
///
/// A replay and the live values after it have neither gap nor duplicate, whatever is sent
/// meanwhile, and whichever thread sends it.
public final class ReplaySubject<Value: Sendable, Failure: Error>: SubjectProtocol {
  @usableFromInline let core: SubjectCore<ReplayMemory<Value, Failure>>

  /// Makes a subject.
  ///
  /// - Parameter capacity: The maximum number of values to replay, 0 or more; all by default. With
  ///   0, only the end is replayed.
  @inlinable
  public init(capacity: Int = .max) {
    core = SubjectCore(memory: ReplayMemory(capacity: capacity))
  }

  deinit {
    core.abandon()
  }

  /// The subject as a signal, to pass on to code that must not send.
  @inlinable public var signal: Signal<Value, Failure> { core.signal }

  /// Sends a value to the current observers, and stores it for later ones.
  ///
  /// - Parameter value: The value; ignored after the end.
  @inlinable
  public func send(_ value: Value) {
    core.next(value)
  }

  /// Ends the subject with an error, which later observers get after the values.
  ///
  /// - Parameter error: The reason of the end.
  @inlinable
  public func fail(_ error: Failure) {
    core.submit(.end(.failed(error)))
  }

  /// Completes the subject; later observers get the values and the completion.
  @inlinable
  public func complete() {
    core.submit(.end(.completed))
  }

  /// The subject as an observer, with which it can be subscribed to another signal.
  ///
  /// The observer keeps the subject alive. A subject that ends disposes the subscriptions of its
  /// observer.
  @inlinable public var observer: Observer<Value, Failure> { observer(target: core) }
}
