/// A hot signal that always has a current value, which a new observer gets immediately.
///
/// If another thread is sending or subscribing at that moment, the current value comes from that
/// thread, possibly after `subscribe` has returned.
public final class BehaviorSubject<Value: Sendable, Failure: Error>: SubjectProtocol {
  @usableFromInline let current: CurrentValue<Value, Failure>

  /// Makes a subject with a value.
  ///
  /// - Parameter initial: The current value until one is sent.
  @inlinable
  public init(_ initial: Value) {
    current = CurrentValue(initial)
  }

  /// The value sent last, also after the end.
  @inlinable public var value: Value { current.value }

  /// The current value, then the values sent; after the end, only the end.
  @inlinable public var signal: Signal<Value, Failure> { current.core.signal }

  /// Sends a value to the current observers, and makes it the current value.
  ///
  /// - Parameter value: The value; ignored after the end.
  @inlinable
  public func send(_ value: Value) {
    current.set(value)
  }

  /// Ends the subject with an error, which later observers get instead of a value.
  ///
  /// - Parameter error: The reason of the end.
  @inlinable
  public func fail(_ error: Failure) {
    current.finish(.failed(error))
  }

  /// Completes the subject; later observers get the completion immediately.
  @inlinable
  public func complete() {
    current.finish(.completed)
  }

  /// The subject as an observer, with which it can be subscribed to another signal.
  ///
  /// The observer keeps the subject alive. A subject that ends disposes the subscriptions of its
  /// observer.
  @inlinable public var observer: Observer<Value, Failure> { observer(target: current.core) }
}
