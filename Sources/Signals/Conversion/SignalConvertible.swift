/// Whatever a signal can be made of: a signal, a subject, a property, a connection.
///
/// Operators that take other signals take these, too:
///
/// ```swift
/// let mayLogIn = combineLatest(email, password) { !$0.isEmpty && !$1.isEmpty }
/// let login = Command(enabled: isValid) { … }
/// ```
public protocol SignalConvertible<Value, Failure>: Sendable {
  /// The type of the values.
  associatedtype Value: Sendable
  /// The type of the errors.
  associatedtype Failure: Error

  /// The signal.
  var signal: Signal<Value, Failure> { get }
}

extension Signal: SignalConvertible {
  /// This signal itself.
  @inlinable public var signal: Signal { self }
}

/// An object whose signal has the usual operators by its own name: `subject.map { … }`.
///
/// The result does not keep the object alive. For operators that are not here, use its `signal`.
public protocol SignalSource: SignalConvertible {}

extension MulticastConnection: SignalSource {}
