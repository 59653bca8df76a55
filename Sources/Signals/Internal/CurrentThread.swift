public import CThreadPointer

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The identity of the calling thread.
@usableFromInline
enum CurrentThread {
  /// A number that no other living thread has, and that is not 0.
  ///
  /// The thread pointer, since each entry into a gate reads it: `pthread_self`, which returns the
  /// same number on Linux, is a call.
  @inline(__always)
  @inlinable
  static var id: UInt { cthreadpointer_self() }

  /// Lets other threads run, if any wait for a core; the corresponding C function is `sched_yield`.
  @usableFromInline
  static func yield() {
    sched_yield()
  }
}
