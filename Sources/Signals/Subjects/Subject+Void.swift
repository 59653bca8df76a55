extension SubjectProtocol where Value == Void {
  /// Tells the observers that it has happened, where there is nothing to say about it.
  @inlinable
  public func send() {
    send(())
  }
}

extension Observer where Value == Void {
  /// Tells that it has happened, where there is nothing to say about it.
  @inlinable
  public func send() {
    send(())
  }
}
