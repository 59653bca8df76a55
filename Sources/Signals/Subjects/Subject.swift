/// A hot signal that is sent to by hand and remembers nothing.
///
/// An observer gets what is sent while it is subscribed; one that comes after the end gets the end.
/// When the subject itself goes, its subscriptions are let go of without an event.
public final class Subject<Value: Sendable, Failure: Error>: SubjectProtocol {
  @usableFromInline let core = SubjectCore<NoMemory<Value, Failure>>(memory: NoMemory())

  /// Makes a subject without observers.
  @inlinable
  public init() {}

  deinit {
    core.abandon()
  }

  /// The subject as a signal: what is passed on, so that holders cannot send.
  @inlinable public var signal: Signal<Value, Failure> { core.signal }

  /// Sends a value to the observers of this moment.
  ///
  /// - Parameter value: The value; ignored after the end.
  @inlinable
  public func send(_ value: Value) {
    core.next(value)
  }

  /// Ends the subject with an error, which later subscribers get as well.
  ///
  /// - Parameter error: The reason of the end.
  @inlinable
  public func fail(_ error: Failure) {
    core.submit(.end(.failed(error)))
  }

  /// Ends the subject regularly; later subscribers complete at once.
  @inlinable
  public func complete() {
    core.submit(.end(.completed))
  }

  /// The subject as an observer: what subscribes it to another signal.
  ///
  /// Keeps the subject alive. The end of the subject disposes what it was subscribed to.
  @inlinable public var observer: Observer<Value, Failure> { observer(target: core) }
}
