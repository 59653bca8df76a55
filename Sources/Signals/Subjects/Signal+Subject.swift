extension Signal {
  /// Subscribes a subject, which sends on what it receives.
  ///
  /// - Parameter subject: Receives every event, the end too; it is kept alive meanwhile.
  /// - Returns: The subscription, as for ``subscribe(next:failed:completed:)``.
  @inlinable
  @discardableResult
  public func subscribe(_ subject: some SubjectProtocol<Value, Failure>) -> any Disposable {
    subscribe(subject.observer)
  }
}
