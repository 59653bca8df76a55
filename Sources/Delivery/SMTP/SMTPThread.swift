internal import CCurl
internal import Glibc

/// The creation of threads that libcurl may block.
enum SMTPThread {
  /// Starts a thread that ends with `work`, and returns whether the system could create it; the
  /// corresponding C function is `pthread_create`.
  static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    // Released by the thread, or below if the thread could not be created.
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
