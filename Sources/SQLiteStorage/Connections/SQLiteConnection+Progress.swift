internal import CSQLite

extension SQLiteConnection {
  /// The number of instructions between two calls of a progress handler; they take about a
  /// millisecond.
  private static let progressInterval: Int32 = 2000

  /// Runs a closure whose statements can be ended.
  ///
  /// The corresponding C function is `sqlite3_progress_handler`.
  ///
  /// - Parameter proceed: Returns whether to proceed; otherwise the statement fails with
  ///   `SQLITE_INTERRUPT`.
  func run<Value>(while proceed: @escaping () -> Bool, _ body: () throws -> Value) rethrows -> Value
  {
    let handler = ProgressHandler(proceed)
    sqlite3_progress_handler(
      handle,
      Self.progressInterval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue().proceed()
          ? 0 : 1
      },
      Unmanaged.passUnretained(handler).toOpaque()
    )
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    return try withExtendedLifetime(handler, body)
  }
}

/// The closure of a progress handler.
private final class ProgressHandler {
  let proceed: () -> Bool

  init(_ proceed: @escaping () -> Bool) {
    self.proceed = proceed
  }
}
