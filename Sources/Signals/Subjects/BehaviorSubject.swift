/// A hot signal that always has a current value, which a new subscriber gets at once.
public final class BehaviorSubject<Value: Sendable, Failure: Error>: SubjectProtocol {
  @usableFromInline let current: CurrentValue<Value, Failure>

  /// Makes a subject with a value.
  ///
  /// - Parameter initial: What is current until something is sent.
  @inlinable
  public init(_ initial: Value) {
    current = CurrentValue(initial)
  }

  /// The value sent last; after the end, the last one before it.
  @inlinable public var value: Value { current.value }

  /// The current value, then what is sent; after the end only the end.
  @inlinable public var signal: Signal<Value, Failure> { current.core.signal }

  /// Sends a value to the observers of this moment, and makes it the current one.
  ///
  /// - Parameter value: The value; ignored after the end.
  @inlinable
  public func send(_ value: Value) {
    current.set(value)
  }

  /// Ends the subject with an error, which later subscribers get in the place of a value.
  ///
  /// - Parameter error: The reason of the end.
  @inlinable
  public func fail(_ error: Failure) {
    current.finish(.failed(error))
  }

  /// Ends the subject regularly; later subscribers complete at once.
  @inlinable
  public func complete() {
    current.finish(.completed)
  }

  /// The subject as an observer: what subscribes it to another signal.
  ///
  /// Keeps the subject alive. The end of the subject disposes what it was subscribed to.
  @inlinable public var observer: Observer<Value, Failure> { observer(target: current.core) }
}
