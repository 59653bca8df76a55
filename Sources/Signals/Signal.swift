/// A stream of values over time that ends at most once, by completing or by failing.
///
/// A *cold* signal does nothing until it is subscribed, and does its work again for each
/// subscription (`Signal { observer in … }`); a *hot* one sends to the observers of the moment
/// (``Subject``). Only the source knows which it is; operators work on both.
///
/// ```swift
/// let greeting = Signal<String, Never> { observer in
///   observer.send("Hello")
///   observer.complete()
///   return nil
/// }
/// greeting.map { $0 + "!" }.subscribe(next: { print($0) })
/// ```
///
/// Ownership (`──►` is a strong reference):
///
/// ```text
/// source ──► its observer ──► operators' closures ──► the subscriber's closures ──► subscription
///   ▲                                                                                  │
///   └────────────── what stops the source (until disposed) ◄───────────────────────────┘
/// ```
///
/// The end, disposal, and a source that releases its observer break the cycle, so a subscription
/// need not be stored, and nothing leaks.
public struct Signal<Value: Sendable, Failure: Error>: Sendable {
  /// Starts a subscription: sends to the observer, and adds to the subscription the disposable that
  /// stops the source.
  ///
  /// Within the library, a source promises serial delivery and nothing after the end. The caller
  /// disposes the subscription once the end was delivered; a loop in a source checks `isDisposed`.
  @usableFromInline
  let attach: @Sendable (Observer<Value, Failure>, CompositeDisposable) -> Void

  /// Makes a signal of a source that keeps the promises of ``attach``.
  @inlinable
  init(
    attaching attach:
      @escaping @Sendable (Observer<Value, Failure>, CompositeDisposable) -> Void
  ) {
    self.attach = attach
  }

  /// Makes a cold signal of a closure that runs once for each subscription.
  ///
  /// The observer that the closure receives may be stored, and used from any thread. Its events are
  /// put in one order; events after the end or after disposal are dropped.
  ///
  /// - Parameters:
  ///   - start: Starts the work; returns a disposable that stops it, or `nil`. The disposable is
  ///     disposed after the end was delivered, or with the subscription.
  ///   - unused: Omit it. The compiler prefers an initializer without default arguments, so a
  ///     closure without `return` selects the other one.
  @inlinable
  public init(
    _ start: @escaping @Sendable (Observer<Value, Failure>) -> (any Disposable)?,
    _ unused: Void = ()
  ) {
    self.init(attaching: { observer, subscription in
      let gated = GatedObserver(observer)
      subscription.add(gated)
      let handle = GatedObserverHandle(gated)
      let stop = start(Observer(next: { handle.gated.next($0) }, end: { handle.gated.end($0) }))
      if let stop { subscription.add(stop) }
    })
  }

  /// Makes a cold signal of a closure that runs once for each subscription and needs no cleanup.
  ///
  /// The observer may be stored, and used from any thread, as with the other initializer.
  ///
  /// - Parameter start: Starts the work, which cannot be stopped: events after disposal are
  ///   dropped.
  @inlinable
  public init(_ start: @escaping @Sendable (Observer<Value, Failure>) -> Void) {
    self.init { observer -> (any Disposable)? in
      start(observer)
      return nil
    }
  }

  /// Subscribes closures.
  ///
  /// - Parameters:
  ///   - next: Receives each value, one at a time, on the thread that sent it.
  ///   - failed: Receives the error, if the signal fails.
  ///   - completed: Called when the signal completes.
  /// - Returns: The subscription. It lives until the signal ends or it is disposed, whether it is
  ///   stored or not; it is disposed after the end was delivered.
  @inlinable
  @discardableResult
  public func subscribe(
    next: @escaping @Sendable (Value) -> Void = { _ in },
    failed: (@Sendable (Failure) -> Void)? = nil, completed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let subscription = CompositeDisposable()
    guard failed != nil || completed != nil else {
      // A closure that captures a single object needs no allocation, which saves a seventh of a
      // subscription.
      attach(Observer(next: next, end: { _ in subscription.dispose() }), subscription)
      return subscription
    }
    attach(
      Observer(
        next: next,
        end: { end in
          switch end {
          case .completed: completed?()
          case .failed(let error): failed?(error)
          }
          subscription.dispose()
        }
      ),
      subscription
    )
    return subscription
  }

  /// Subscribes an observer.
  ///
  /// - Parameter observer: The observer of every event, for example of a subject. A subject that
  ///   ends disposes the subscription.
  /// - Returns: The subscription, as for ``subscribe(next:failed:completed:)``.
  @inlinable
  @discardableResult
  public func subscribe(_ observer: Observer<Value, Failure>) -> any Disposable {
    let subscription = CompositeDisposable()
    attach(observer, until: subscription)
    return subscription
  }

  /// Subscribes an observer with an existing subscription.
  ///
  /// It is disposed after the observer has received the end.
  @inlinable
  func attach(_ observer: Observer<Value, Failure>, until subscription: CompositeDisposable) {
    if let target = observer.target {
      Following(subscription, by: target)
      if subscription.isDisposed { return }
    }
    let onEnd = observer.onEnd
    attach(
      Observer(
        next: observer.onNext,
        end: { end in
          onEnd(end)
          subscription.dispose()
        }
      ),
      subscription
    )
  }
}
