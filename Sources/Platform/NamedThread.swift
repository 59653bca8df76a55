internal import CThreads
internal import Glibc

/// Threads for work that blocks, with names for debuggers and `top -H`.
///
/// The thread names itself: Foundation's `Thread` has a name only once it runs, and then not always.
package enum NamedThread {
  /// Starts a thread that ends with `work`, and returns whether the system could create it; the
  /// corresponding C function is `pthread_create`.
  ///
  /// - Parameter name: At most 15 characters of ASCII.
  @discardableResult
  package static func start(_ name: StaticString, _ work: @escaping @Sendable () -> Void) -> Bool {
    // Released by the thread, or below if the thread could not be created.
    let context = Unmanaged.passRetained(Body(name, work))
    var thread = pthread_t()
    let result = pthread_create(
      &thread,
      nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
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
    private let name: StaticString
    private let work: @Sendable () -> Void

    init(_ name: StaticString, _ work: @escaping @Sendable () -> Void) {
      self.name = name
      self.work = work
    }

    func run() {
      name.withUTF8Buffer { name in
        name.withMemoryRebound(to: CChar.self) { name in
          if let start = name.baseAddress { cthreads_name(start) }
        }
      }
      work()
    }
  }
}
