internal import CMicrohttpd
internal import Platform
internal import Signals
internal import Synchronization

/// Gives freed memory back to the kernel after a peak of connections or bodies.
///
/// The allocator keeps freed memory in its arenas, possibly forever: hundreds of MiB after 15,000
/// slow bodies. Returning it takes milliseconds per 100 MiB, so it is done on a thread of its own; an
/// event loop waits only while it allocates from the arena that is being trimmed.
final class MemoryReturn: Sendable {
  /// The minimum decrease from the peak, in bytes, that makes returning memory worthwhile.
  private static let minimumBytes = 8 << 20

  private let peakBytes = Atomic(0)
  private let isRunning = Atomic(false)

  /// Compares the memory in use with its peak from now on, on a loop that will start.
  func start(on loop: EventLoop, usedBytes: @escaping @Sendable () -> Int) {
    loop.schedule(after: .seconds(1), repeating: .seconds(1)) {
      self.peakBytes.max(usedBytes(), ordering: .relaxed)
    }
    loop.schedule(after: .seconds(20), repeating: .seconds(20)) { self.returnUnused(usedBytes()) }
  }

  /// Returns memory to the system if far fewer bytes are in use than at the peak.
  ///
  /// The corresponding C function is `malloc_trim`.
  private func returnUnused(_ bytes: Int) {
    guard peakBytes.load(ordering: .relaxed) - bytes >= Self.minimumBytes,
      !isRunning.exchange(true, ordering: .relaxed)
    else { return }
    peakBytes.store(bytes, ordering: .relaxed)
    let hasStarted = NamedThread.start("enlist-memory") {
      cmicrohttpd_trim_memory()
      self.isRunning.store(false, ordering: .relaxed)
    }
    if !hasStarted { isRunning.store(false, ordering: .relaxed) }
  }
}
