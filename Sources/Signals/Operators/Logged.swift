extension Signal {
  /// Writes every event to a log, and passes it on.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.logged("S", to: { _ in })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The prefix of each line: `name next: 1`, `name completed`.
  ///   - write: Writes a line; prints it by default.
  /// - Returns: The same signal.
  public func logged(
    _ name: String, to write: @escaping @Sendable (String) -> Void = { print($0) }
  ) -> Signal {
    `do`(
      next: { write("\(name) next: \($0)") }, failed: { write("\(name) failed: \($0)") },
      completed: { write("\(name) completed") })
  }
}
