extension Command where Input == Void {
  /// Executes without an input.
  ///
  /// - Returns: The execution, as ``execute(_:)`` returns it.
  @inlinable
  @discardableResult
  public func execute() -> Signal<Output, CommandError<Failure>> {
    execute(())
  }

  /// Executes without an input, or says at once why not.
  ///
  /// - Returns: The execution, as ``execute(_:)`` returns it.
  /// - Throws: `NotEnabledError`, when the command is not enabled.
  @inlinable
  @discardableResult
  public func start() throws(NotEnabledError) -> Signal<Output, Failure> {
    try start(())
  }

  /// Executes without an input and waits for the end.
  ///
  /// - Returns: The last value of the work; `nil` when it sent none.
  /// - Throws: `CommandError`, when it was refused or the work failed.
  public func callAsFunction() async throws(CommandError<Failure>) -> Output? {
    try await callAsFunction(())
  }
}
