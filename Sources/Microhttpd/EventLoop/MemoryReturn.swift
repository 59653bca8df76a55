internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// Gives memory back to the system after many connections or bodies have ended.
///
/// The allocator keeps what was freed in its arenas, forever if need be: after 15,000 slow bodies,
/// hundreds of MiB. A thread of its own gives it back, because that takes milliseconds for each
/// 100 MiB.
final class MemoryReturn: Sendable {
  /// How often is looked.
  static let interval: Duration = .seconds(20)
  /// How much less has to be in use than there was for it to be worthwhile.
  private static let minimumBytes = 8 << 20

  private let peakBytes = Atomic(0)
  private let isRunning = Atomic(false)

  /// Notes how much is in use; from any thread.
  ///
  /// - Parameter bytes: About how many bytes connections and bodies use now.
  func record(_ bytes: Int) {
    peakBytes.max(bytes, ordering: .relaxed)
  }

  /// Gives memory back if much less is in use than before.
  ///
  /// The corresponding C function is `malloc_trim`.
  ///
  /// - Parameter bytes: About how many bytes connections and bodies use now.
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
