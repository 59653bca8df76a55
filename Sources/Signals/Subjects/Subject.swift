/// A hot signal whose values are sent by calling it, and that stores none.
///
/// An observer gets the values that are sent while it is subscribed; after the end, a new observer
/// gets the end. When the subject is released, its subscriptions are released without an event.
public final class Subject<Value: Sendable, Failure: Error>: SubjectProtocol {
  @usableFromInline let core = SubjectCore<NoMemory<Value, Failure>>(memory: NoMemory())

  /// Makes a subject without observers.
  @inlinable
  public init() {}

  deinit {
    core.abandon()
  }

  /// The subject as a signal, to pass on to code that must not send.
  @inlinable public var signal: Signal<Value, Failure> { core.signal }

  /// Sends a value to the current observers.
  ///
  /// - Parameter value: The value; ignored after the end.
  @inlinable
  public func send(_ value: Value) {
    core.next(value)
  }

  /// Ends the subject with an error, which later observers get, too.
  ///
  /// - Parameter error: The reason of the end.
  @inlinable
  public func fail(_ error: Failure) {
    core.submit(.end(.failed(error)))
  }

  /// Completes the subject; later observers get the completion immediately.
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
