extension Command where Input == Void {
  /// Executes without an input.
  ///
  /// - Returns: The execution, as for ``execute(_:)``.
  @inlinable
  @discardableResult
  public func execute() -> Signal<Output, CommandError<Failure>> {
    execute(())
  }

  /// Executes without an input, or throws the reason why not.
  ///
  /// - Returns: The execution, as for ``execute(_:)``.
  /// - Throws: `NotEnabledError` if the command is not enabled.
  @inlinable
  @discardableResult
  public func start() throws(NotEnabledError) -> Signal<Output, Failure> {
    try start(())
  }

  /// Executes without an input and waits for the end.
  ///
  /// - Returns: The last value of the work; `nil` if it sent none.
  /// - Throws: `CommandError` if the execution was rejected or the work failed.
  @discardableResult
  public func callAsFunction() async throws(CommandError<Failure>) -> Output? {
    try await callAsFunction(())
  }
}
