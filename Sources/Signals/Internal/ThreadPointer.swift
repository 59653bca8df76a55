#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A pointer for each thread, `nil` until that thread sets it.
///
/// The corresponding C functions are `pthread_getspecific` and `pthread_setspecific`. Use it only
/// for static constants: keys are never deleted.
struct ThreadPointer<Pointee>: Sendable {
  private let key: pthread_key_t

  /// Makes a pointer that is `nil` on all threads.
  init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "the process has no key left for pointers of threads")
    self.key = key
  }

  /// The pointer of the calling thread.
  var value: UnsafeMutablePointer<Pointee>? {
    get { pthread_getspecific(key)?.assumingMemoryBound(to: Pointee.self) }
    nonmutating set { pthread_setspecific(key, newValue) }
  }
}
