/// A signal whose events are sent by calling it: ``Subject``, ``ReplaySubject`` and
/// ``BehaviorSubject``.
///
/// A subject is hot. Any thread may send to it, even from within one of its own callbacks: such an
/// event is delivered after the current one, so that all observers see one order. After its end,
/// further events are ignored.
public protocol SubjectProtocol<Value, Failure>: AnyObject, SignalSource {
  /// Sends a value to the observers.
  ///
  /// - Parameter value: The value; ignored after the end.
  func send(_ value: Value)

  /// Ends the subject with an error.
  ///
  /// - Parameter error: The reason of the end.
  func fail(_ error: Failure)

  /// Completes the subject.
  func complete()

  /// The subject as an observer, with which it can be subscribed to another signal.
  ///
  /// The observer keeps the subject alive. A subject that ends disposes the subscriptions of its
  /// observer.
  var observer: Observer<Value, Failure> { get }
}

extension SubjectProtocol {
  /// The subject as an observer, by means of its other methods.
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
