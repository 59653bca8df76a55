#if LOCKS_PTHREAD
  public import Glibc
#else
  public import Synchronization
#endif

/// The one lock of this package: a value that only one thread at a time can see.
///
/// It is a `Mutex` of the standard library. ThreadSanitizer cannot see that one on Linux (it is a
/// bare futex), so a build with the flag `LOCKS_PTHREAD` uses a `pthread_mutex_t` in its place,
/// which the sanitizer knows; nothing else changes.
///
/// Not recursive. No user's code runs inside `withLock`: a closure decides what is to be done and
/// returns it, the caller does it afterwards.
@usableFromInline
package struct Lock<State>: ~Copyable, @unchecked Sendable {
  // @unchecked Sendable because the state is reached through the mutex only, and what goes in and
  // comes out is `sending`.
  #if LOCKS_PTHREAD
    @usableFromInline let storage: PthreadStorage<State>

    /// Makes an open lock around a state.
    @inlinable
    package init(_ state: consuming sending State) {
      storage = PthreadStorage(state)
    }

    /// Runs a closure while holding the lock; the corresponding C function is `pthread_mutex_lock`.
    ///
    /// - Parameter body: Sees and changes the state; short, and calls nobody else's code.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; the lock is released before.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(storage.mutex)
      defer { pthread_mutex_unlock(storage.mutex) }
      return try body(&storage.state)
    }
  #else
    @usableFromInline let mutex: Mutex<State>

    /// Makes an open lock around a state.
    @inlinable
    package init(_ state: consuming sending State) {
      mutex = Mutex(state)
    }

    /// Runs a closure while holding the lock.
    ///
    /// - Parameter body: Sees and changes the state; short, and calls nobody else's code.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; the lock is released before.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  #endif
}

#if LOCKS_PTHREAD
  /// The state and the mutex beside it, at addresses that do not move.
  @usableFromInline
  final class PthreadStorage<State> {
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline var state: State

    @usableFromInline
    init(_ state: consuming State) {
      self.state = state
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }
  }
#endif
