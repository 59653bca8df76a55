/// State that can be read and watched: a ``Property``, or what was derived from one.
public protocol PropertyProtocol<Value>: Sendable {
  /// What it holds.
  associatedtype Value: Sendable

  /// The current value.
  var value: Value { get }

  /// The current value at once, then every change; completes when the property goes.
  var signal: Signal<Value, Never> { get }

  /// The same state for those who may read and watch, but not write; it does not keep the property
  /// alive.
  var readOnly: DerivedProperty<Value> { get }
}

/// State that follows from other state, without a subscription of its own.
///
/// Its value is made from those it was derived from each time that it is read, so it is never out of
/// date and costs nothing while nobody looks. It does not keep the properties alive: when they have
/// gone, it has the last value and its signal completes.
///
/// ```swift
/// let email = Property("")
/// let isValid = email.map { $0.contains("@") }
/// email.value = "ana@example.com"
/// print(isValid.value)  // true
/// ```
public struct DerivedProperty<Value: Sendable>: PropertyProtocol {
  private let read: @Sendable () -> Value

  /// The current value at once, then one for each change of what it was derived from, equal or not.
  public let signal: Signal<Value, Never>

  init(read: @escaping @Sendable () -> Value, signal: Signal<Value, Never>) {
    self.read = read
    self.signal = signal
  }

  /// The current value, made when it is read.
  public var value: Value { read() }

  /// The same.
  public var readOnly: DerivedProperty { self }
}

extension Property: PropertyProtocol {
  /// The same state for those who may read and watch, but not write; it does not keep the property
  /// alive.
  public var readOnly: DerivedProperty<Value> {
    let current = current
    return DerivedProperty(read: { current.value }, signal: signal)
  }
}

extension PropertyProtocol {
  /// Derives state from this one.
  ///
  /// - Parameter transform: Makes the derived value; called for each read, and for each change and
  ///   subscriber.
  /// - Returns: What can be read and watched.
  public func map<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> NewValue
  ) -> DerivedProperty<NewValue> {
    let source = readOnly
    return DerivedProperty(
      read: { transform(source.value) },
      signal: source.signal.map(transform)
    )
  }

  /// Derives state from this one and another.
  ///
  /// What is derived in two ways from the same property changes in two steps: its signal sends a
  /// value for each.
  ///
  /// - Parameters:
  ///   - other: The second property.
  ///   - transform: Makes the derived value; called for each read, and for each change and
  ///     subscriber.
  /// - Returns: What can be read and watched; its signal completes when both have gone.
  public func combineLatest<Other: Sendable, NewValue: Sendable>(
    with other: some PropertyProtocol<Other>,
    transform: @escaping @Sendable (Value, Other) -> NewValue
  ) -> DerivedProperty<NewValue> {
    let first = readOnly
    let second = other.readOnly
    return DerivedProperty(
      read: { transform(first.value, second.value) },
      signal: Signals.combineLatest(first.signal, second.signal, transform: transform)
    )
  }

  /// Derives pairs from this property and another.
  ///
  /// - Parameter other: The second property.
  /// - Returns: What can be read and watched; its signal completes when both have gone.
  public func combineLatest<Other: Sendable>(
    with other: some PropertyProtocol<Other>
  ) -> DerivedProperty<(Value, Other)> {
    combineLatest(with: other, transform: { ($0, $1) })
  }
}
