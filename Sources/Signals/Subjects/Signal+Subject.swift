extension Signal {
  /// Subscribes a subject, which passes every event on.
  ///
  /// - Parameter subject: The subject, which receives every event, including the end; the
  ///   subscription keeps it alive.
  /// - Returns: The subscription, as for ``subscribe(next:failed:completed:)``.
  @inlinable
  @discardableResult
  public func subscribe(_ subject: some SubjectProtocol<Value, Failure>) -> any Disposable {
    subscribe(subject.observer)
  }
}
