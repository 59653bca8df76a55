/// Observable state: a value that can be read and written at any time, and whose changes are a
/// signal.
///
/// It corresponds to KVO and `RAC()` in ReactiveObjC. It never fails; its signals complete when the
/// property is released.
///
/// ```swift
/// let email = Property("")
/// let isValid = email.signal.map { $0.contains("@") }
/// email.value = "ana@example.com"
/// ```
public final class Property<Value: Sendable>: Sendable {
  @usableFromInline let current: CurrentValue<Value, Never>

  /// Makes a property.
  ///
  /// - Parameter initial: Its first value.
  @inlinable
  public init(_ initial: Value) {
    current = CurrentValue(initial)
  }

  deinit {
    current.finish(.completed)
  }

  /// The current value; a written value can be read before its observers have received it.
  ///
  /// Writing sends the value, even if it equals the previous one. If several threads write, the
  /// value sent last is the current one.
  @inlinable public var value: Value {
    get { current.value }
    set { current.set(newValue) }
  }

  /// The current value immediately, then every value written.
  ///
  /// If it is subscribed within a callback of the same property, `subscribe` returns first, and the
  /// current value is sent once that callback has returned, like every event that is caused within
  /// a callback. If another thread is sending or subscribing at that moment, the current value comes
  /// from that thread, possibly after `subscribe` has returned: read ``value`` where the first value
  /// is needed at once.
  @inlinable public var signal: Signal<Value, Never> { current.core.signal }

  /// Every value written from now on, with the value that it replaced.
  public var changes: Signal<(old: Value, new: Value), Never> {
    let signal = signal
    return Signal(attaching: { observer, subscription in
      let previous = Previous<Value>()
      signal.attach(
        Observer(
          next: { new in
            defer { previous.value = new }
            if let old = previous.value { observer.onNext((old, new)) }
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }

  /// Writes the values of a signal into the property, until the signal ends or the binding is
  /// disposed.
  ///
  /// The binding does not keep the property alive; when the property is released, it disposes the
  /// binding. The end of the signal does not change the value.
  ///
  /// - Parameter source: The signal to follow.
  /// - Returns: The binding, which is disposed once the signal has ended or the property has been
  ///   released.
  @discardableResult
  public func bind(to source: Signal<Value, Never>) -> any Disposable {
    let binding = CompositeDisposable()
    // The observer does not hold the core, and its closures do not hold the property.
    withExtendedLifetime(current.core) {
      source.attach(
        Observer(
          next: { [weak self] value in self?.value = value }, end: { _ in }, target: current.core),
        until: binding)
    }
    return binding
  }
}

/// The previous value, for one subscription.
private final class Previous<Value: Sendable>: Sendable {
  // nonisolated(unsafe) because a signal delivers one event at a time.
  nonisolated(unsafe) var value: Value?
}
