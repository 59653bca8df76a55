internal import CThreads
internal import Glibc

/// Threads for work that blocks, with names for debuggers and `top -H`.
///
/// The thread names itself: Foundation's `Thread` has a name only once it runs, and then not always.
package enum NamedThread {
  /// Starts a thread that ends with `work`, and returns whether the system could create it.
  ///
  /// - Parameters:
  ///   - name: At most 15 characters of ASCII.
  ///   - end: Called last, when the thread no longer retains the work.
  @discardableResult
  package static func start(
    _ name: String, _ work: @escaping @Sendable () -> Void,
    end: @escaping @Sendable () -> Void = {}
  ) -> Bool {
    // Released by the thread, or below if the thread could not be created.
    let context = Unmanaged.passRetained(Body(name, work, end))
    var thread = pthread_t()
    let result = pthread_create(
      &thread,
      nil,
      { context in
        guard let context else { return nil }
        // This releases the work before the end is called.
        let end = Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        end()
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

  private final class Body: Sendable {
    private let name: String
    private let work: @Sendable () -> Void
    private let end: @Sendable () -> Void

    init(
      _ name: String, _ work: @escaping @Sendable () -> Void, _ end: @escaping @Sendable () -> Void
    ) {
      self.name = name
      self.work = work
      self.end = end
    }

    /// Does the work, and returns the end.
    func run() -> @Sendable () -> Void {
      cthreads_name(name)
      work()
      return end
    }
  }
}
