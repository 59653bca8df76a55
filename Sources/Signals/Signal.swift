/// A stream of values over time that ends at most once, by completing or by failing.
///
/// A *cold* signal does nothing until it is subscribed, and everything again for each subscription
/// (`Signal { observer in … }`); a *hot* one sends to whoever is subscribed at the time
/// (``Subject``). Only a source knows which it is; operators work on both.
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
/// Who keeps whom alive (`──►` strong):
///
/// ```text
/// source ──► its observer ──► operators' closures ──► the subscriber's closures ──► subscription
///   ▲                                                                                  │
///   └────────────── what stops the source (until disposed) ◄───────────────────────────┘
/// ```
///
/// The circle is opened by the end, by disposal, and by the source when it lets go of its observer,
/// so a subscription needs nobody to hold it, and nothing leaks.
public struct Signal<Value: Sendable, Failure: Error>: Sendable {
  /// Starts a subscription: sends to the observer, adds to the subscription what stops the source.
  ///
  /// Inside the library a source promises serial delivery and nothing after the end. Whoever calls
  /// disposes the subscription once the end was delivered; a loop in a source looks at
  /// `isDisposed`.
  @usableFromInline
  let attach: @Sendable (Observer<Value, Failure>, CompositeDisposable) -> Void

  /// Makes a signal of a source that keeps the promises of ``attach`` by itself.
  @inlinable
  init(
    attaching attach:
      @escaping @Sendable (Observer<Value, Failure>, CompositeDisposable) -> Void
  ) {
    self.attach = attach
  }

  /// Makes a cold signal of a closure that runs once for each subscription.
  ///
  /// The observer that the closure receives may be kept and used from any thread. Its events are
  /// put in one order; what comes after the end or after disposal is dropped.
  ///
  /// - Parameters:
  ///   - start: Starts the work; returns what stops it, or `nil` when nothing does. That is disposed
  ///     after the end was delivered, or when the subscription is disposed.
  ///   - unused: Leave it out. Of two initializers that fit, the compiler takes the one without a
  ///     default; so a closure without `return` means the other one.
  @inlinable
  public init(
    _ start: @escaping @Sendable (Observer<Value, Failure>) -> (any Disposable)?,
    _ unused: Void = ()
  ) {
    self.init(attaching: { observer, subscription in
      let gated = GatedObserver(observer)
      subscription.add(gated)
      let handle = GatedObserverHandle(gated)
      let stop = start(
        Observer(next: { handle.gated.next($0) }, end: { handle.gated.end($0) })
      )
      if let stop { subscription.add(stop) }
    })
  }

  /// Makes a cold signal of a closure that runs once for each subscription and needs no cleanup.
  ///
  /// The observer may be kept and used from any thread, as with the other initializer.
  ///
  /// - Parameter start: Starts the work, which nothing stops: what it sends after disposal is
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
  ///   held or not; it is disposed after the end was delivered.
  @inlinable
  @discardableResult
  public func subscribe(
    next: @escaping @Sendable (Value) -> Void = { _ in },
    failed: (@Sendable (Failure) -> Void)? = nil,
    completed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let subscription = CompositeDisposable()
    guard failed != nil || completed != nil else {
      // A closure that captures one object needs no allocation; a seventh of a subscription.
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
  /// - Parameter observer: Receives every event; a subject's `observer`, for instance. A subject that
  ///   ends by itself disposes the subscription.
  /// - Returns: The subscription, as for ``subscribe(next:failed:completed:)``.
  @inlinable
  @discardableResult
  public func subscribe(_ observer: Observer<Value, Failure>) -> any Disposable {
    let subscription = CompositeDisposable()
    attach(observer, until: subscription)
    return subscription
  }

  /// Subscribes an observer for the life of a subscription that exists already.
  ///
  /// Operators that subscribe several signals use it, each with a subscription of its own.
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
