/// Observable state: a value that can be read and written at any time, and whose changes are a
/// signal.
///
/// It stands for what KVO and `RAC()` are in ReactiveObjC. It never fails; its signals complete
/// when the property goes.
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

  /// The current value; what was written is read, also before its observers have seen it.
  ///
  /// Writing sends the value, also when it equals the one before. Written by several threads, the
  /// value that stays is the one sent last.
  @inlinable public var value: Value {
    get { current.value }
    set { current.set(newValue) }
  }

  /// The current value at once, then every value written.
  ///
  /// Subscribed within a callback of the same property, it sends the current value once that
  /// callback has returned, as all that is caused within a callback comes after it: `subscribe`
  /// returns first.
  @inlinable public var signal: Signal<Value, Never> { current.core.signal }

  /// Every value written from now on, with the one that it replaced.
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

  /// Writes what a signal sends into the property, until it ends or the binding is disposed.
  ///
  /// The property is not kept alive by its binding, and disposes it when it goes. The end of the
  /// signal leaves the last value.
  ///
  /// - Parameter source: What to follow.
  /// - Returns: The binding; disposed once the signal has ended or the property has gone.
  @discardableResult
  public func bind(to source: Signal<Value, Never>) -> any Disposable {
    let binding = CompositeDisposable()
    // The observer does not hold the core, and its closures do not hold the property.
    withExtendedLifetime(current.core) {
      source.attach(
        Observer(
          next: { [weak self] value in self?.value = value },
          end: { _ in },
          target: current.core
        ),
        until: binding
      )
    }
    return binding
  }
}

/// The value before, for one subscription.
private final class Previous<Value: Sendable>: Sendable {
  // nonisolated(unsafe) because a signal delivers one event at a time.
  nonisolated(unsafe) var value: Value?
}
