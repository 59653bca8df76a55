/// State that can be read and observed: a ``Property``, or state derived from one.
///
/// Its signal sends the current value immediately, then every change, and completes when the
/// property is released.
public protocol PropertyProtocol<Value>: SignalSource where Failure == Never {
  /// The current value.
  var value: Value { get }

  /// The same state, which can be read and observed, but not written; it does not keep the property
  /// alive.
  var readOnly: DerivedProperty<Value> { get }
}

/// State that is derived from other state, without a subscription of its own.
///
/// Its value is computed each time that it is read, so it is never out of date, and costs nothing
/// while it is not used. It does not keep the properties alive: when they have been released, it
/// keeps the last value, and its signal completes.
///
/// ```swift
/// let email = Property("")
/// let isValid = email.map { $0.contains("@") }
/// email.value = "ana@example.com"
/// print(isValid.value)  // true
/// ```
public struct DerivedProperty<Value: Sendable>: PropertyProtocol {
  @usableFromInline let read: @Sendable () -> Value

  /// The current value immediately, then a value for each change of its sources, equal or not.
  public let signal: Signal<Value, Never>

  @inlinable
  init(read: @escaping @Sendable () -> Value, signal: Signal<Value, Never>) {
    self.read = read
    self.signal = signal
  }

  /// The current value, computed when it is read.
  @inlinable public var value: Value { read() }

  /// This property itself.
  @inlinable public var readOnly: DerivedProperty { self }
}

extension Property: PropertyProtocol {
  /// The same state, which can be read and observed, but not written; it does not keep the property
  /// alive.
  @inlinable public var readOnly: DerivedProperty<Value> {
    let current = current
    return DerivedProperty(read: { current.value }, signal: signal)
  }
}

extension PropertyProtocol {
  /// Derives state from this property.
  ///
  /// - Parameter transform: Returns the derived value; called for each read, and for each change
  ///   and observer.
  /// - Returns: The derived property.
  @inlinable
  public func map<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> NewValue
  ) -> DerivedProperty<NewValue> {
    let source = readOnly
    return DerivedProperty(read: { transform(source.value) }, signal: source.signal.map(transform))
  }

  /// Derives state from this property and another one.
  ///
  /// A value that is derived from the same property in two ways changes in two steps: the signal
  /// sends a value for each.
  ///
  /// - Parameters:
  ///   - other: The second property.
  ///   - transform: Returns the derived value; called for each read, and for each change and
  ///     observer.
  /// - Returns: The derived property, whose signal completes when both have been released.
  @inlinable
  public func combineLatest<Other: Sendable, NewValue: Sendable>(
    with other: some PropertyProtocol<Other>,
    transform: @escaping @Sendable (Value, Other) -> NewValue
  ) -> DerivedProperty<NewValue> {
    let first = readOnly
    let second = other.readOnly
    return DerivedProperty(
      read: { transform(first.value, second.value) },
      signal: Signals.combineLatest(first.signal, second.signal, transform: transform))
  }

  /// Derives pairs from this property and another one.
  ///
  /// - Parameter other: The second property.
  /// - Returns: The derived property, whose signal completes when both have been released.
  @inlinable
  public func combineLatest<Other: Sendable>(
    with other: some PropertyProtocol<Other>
  ) -> DerivedProperty<(Value, Other)> {
    combineLatest(with: other, transform: { ($0, $1) })
  }
}
