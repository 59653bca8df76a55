internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// A helper that returns memory to the system after many connections or bodies have ended.
///
/// The allocator keeps freed memory in its arenas, possibly forever: hundreds of MiB after 15,000
/// slow bodies. Returning it takes milliseconds per 100 MiB, so it is done on a separate thread.
final class MemoryReturn: Sendable {
  /// The interval at which ``returnUnused(_:)`` must be called.
  static let interval: Duration = .seconds(20)
  /// The minimum decrease from the peak, in bytes, that makes returning memory worthwhile.
  private static let minimumBytes = 8 << 20

  private let peakBytes = Atomic(0)
  private let isRunning = Atomic(false)

  /// Records the approximate number of bytes that connections and bodies use now; callable from any
  /// thread.
  func record(_ bytes: Int) {
    peakBytes.max(bytes, ordering: .relaxed)
  }

  /// Returns memory to the system if far fewer bytes are in use than at the peak.
  ///
  /// The corresponding C function is `malloc_trim`.
  func returnUnused(_ bytes: Int) {
    guard peakBytes.load(ordering: .relaxed) - bytes >= Self.minimumBytes,
      !isRunning.exchange(true, ordering: .relaxed)
    else { return }
    peakBytes.store(bytes, ordering: .relaxed)
    var handle = pthread_t()
    let context = Unmanaged.passRetained(self)  // released by the thread
    let result = pthread_create(
      &handle,
      nil,
      { context in
        guard let context else { return nil }
        let memory = Unmanaged<MemoryReturn>.fromOpaque(context).takeRetainedValue()
        cmicrohttpd_trim_memory()
        memory.isRunning.store(false, ordering: .relaxed)
        return nil
      },
      context.toOpaque()
    )
    if result == 0 {
      pthread_detach(handle)
    } else {
      context.release()
      isRunning.store(false, ordering: .relaxed)
    }
  }
}
