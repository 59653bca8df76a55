/// A signal that is sent to by hand: ``Subject``, ``ReplaySubject`` and ``BehaviorSubject``.
///
/// A subject is hot. It may be sent to from any thread, also from within one of its own callbacks:
/// such an event is delivered after the current one, so that all observers see one order. It has an
/// end: what is sent later is ignored.
public protocol SubjectProtocol<Value, Failure>: AnyObject, Sendable {
  /// What it sends.
  associatedtype Value: Sendable
  /// The type of the errors.
  associatedtype Failure: Error

  /// The subject as a signal: what is passed on, so that holders cannot send.
  var signal: Signal<Value, Failure> { get }

  /// Sends a value to the observers.
  ///
  /// - Parameter value: The value; ignored after the end.
  func send(_ value: Value)

  /// Ends the subject with an error.
  ///
  /// - Parameter error: The reason of the end.
  func fail(_ error: Failure)

  /// Ends the subject regularly.
  func complete()

  /// The subject as an observer: what subscribes it to another signal.
  ///
  /// Keeps the subject alive. A subject that ends disposes what it was subscribed to.
  var observer: Observer<Value, Failure> { get }
}

extension SubjectProtocol {
  /// The subject as an observer, made of its other methods.
  @inlinable
  public var observer: Observer<Value, Failure> { observer(target: nil) }

  @inlinable
  func observer(target: ObserverTarget?) -> Observer<Value, Failure> {
    Observer(
      next: { self.send($0) },
      end: { end in
        switch end {
        case .completed: self.complete()
        case .failed(let error): self.fail(error)
        }
      },
      target: target
    )
  }
}
