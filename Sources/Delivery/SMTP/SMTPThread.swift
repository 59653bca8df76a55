internal import CCurl
internal import Glibc

/// The creation of threads that libcurl may block.
enum SMTPThread {
  /// Starts a thread; the corresponding C function is `pthread_create`.
  ///
  /// - Parameter work: Runs on the thread, which ends with it.
  /// - Returns: Whether the system could create the thread.
  static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    // Released by the thread.
    let context = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let result = pthread_create(
      &thread,
      nil,
      { context in
        guard let context else { return nil }
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        ccurl_name_thread("smtp")
        work.run()
        return nil
      },
      context.toOpaque()
    )
    guard result == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }
}
