extension SubjectProtocol where Value == Void {
  /// Notifies the observers without a value.
  @inlinable
  public func send() {
    send(())
  }
}

extension Observer where Value == Void {
  /// Notifies the observers without a value.
  @inlinable
  public func send() {
    send(())
  }
}
