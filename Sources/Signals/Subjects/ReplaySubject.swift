/// A hot signal that hands its last values, and its end, to those who subscribe later.
///
/// A replay and the live values after it have neither gap nor duplicate, whatever is sent
/// meanwhile, and whichever thread sends it.
public final class ReplaySubject<Value: Sendable, Failure: Error>: SubjectProtocol {
  @usableFromInline let core: SubjectCore<ReplayMemory<Value, Failure>>

  /// Makes a subject that remembers.
  ///
  /// - Parameter capacity: How many values at the most, 0 or more; all unless told otherwise. With
  ///   0 only the end is remembered.
  @inlinable
  public init(capacity: Int = .max) {
    core = SubjectCore(memory: ReplayMemory(capacity: capacity))
  }

  deinit {
    core.abandon()
  }

  /// The subject as a signal: what is passed on, so that holders cannot send.
  @inlinable public var signal: Signal<Value, Failure> { core.signal }

  /// Sends a value to the observers of this moment, and remembers it.
  ///
  /// - Parameter value: The value; ignored after the end.
  @inlinable
  public func send(_ value: Value) {
    core.next(value)
  }

  /// Ends the subject with an error, which later subscribers get after the values.
  ///
  /// - Parameter error: The reason of the end.
  @inlinable
  public func fail(_ error: Failure) {
    core.submit(.end(.failed(error)))
  }

  /// Ends the subject regularly; later subscribers get the values and complete.
  @inlinable
  public func complete() {
    core.submit(.end(.completed))
  }

  /// The subject as an observer: what subscribes it to another signal.
  ///
  /// Keeps the subject alive. The end of the subject disposes what it was subscribed to.
  @inlinable public var observer: Observer<Value, Failure> { observer(target: core) }
}
