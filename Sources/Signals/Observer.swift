/// The receiving end of a subscription, to which a source sends its events.
///
/// An observer from `Signal { }` or from a subject may be used from any thread: these put events of
/// several threads in one order, and drop events after the end or after disposal.
public struct Observer<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let onNext: @Sendable (Value) -> Void
  @usableFromInline let onEnd: @Sendable (End<Failure>) -> Void
  /// The object that receives the events, if it needs to know what it is subscribed to.
  // unowned(unsafe) because an observer is copied often and this is seldom set: not counted, it costs
  // nothing. It is read only while the signal is being subscribed, when the closures, or the caller,
  // hold it.
  @usableFromInline unowned(unsafe) let target: ObserverTarget?

  /// Makes an observer of two closures.
  ///
  /// - Parameters:
  ///   - next: Receives each value.
  ///   - end: Receives the end, at most once.
  @inlinable
  public init(
    next: @escaping @Sendable (Value) -> Void, end: @escaping @Sendable (End<Failure>) -> Void
  ) {
    self.init(next: next, end: end, target: nil)
  }

  /// Makes the observer of an object that needs to know what it is subscribed to.
  ///
  /// - Parameters:
  ///   - next: Receives each value.
  ///   - end: Receives the end, at most once.
  ///   - target: The object. One of the closures holds it, or the caller does until the observer has
  ///     been subscribed.
  @inlinable
  init(
    next: @escaping @Sendable (Value) -> Void, end: @escaping @Sendable (End<Failure>) -> Void,
    target: ObserverTarget?
  ) {
    onNext = next
    onEnd = end
    self.target = target
  }

  /// Sends a value.
  ///
  /// - Parameter value: The value; ignored after the end.
  @inlinable
  public func send(_ value: Value) {
    onNext(value)
  }

  /// Ends the signal with an error.
  ///
  /// - Parameter error: The reason of the end.
  @inlinable
  public func fail(_ error: Failure) {
    onEnd(.failed(error))
  }

  /// Completes the signal.
  @inlinable
  public func complete() {
    onEnd(.completed)
  }

  /// Sends an event that is stored as a value.
  ///
  /// - Parameter event: A value or an end.
  @inlinable
  public func observe(_ event: Event<Value, Failure>) {
    switch event {
    case .next(let value): onNext(value)
    case .failed(let error): onEnd(.failed(error))
    case .completed: onEnd(.completed)
    }
  }
}
