#if canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#else
  public import Darwin
#endif

/// Tells threads apart; the corresponding C function is `pthread_self`.
@usableFromInline
enum CurrentThread {
  /// A number that no other living thread has, and that is not 0.
  @inline(__always)
  @inlinable
  static var id: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }

  /// Lets other threads run, if any wait for a core; the corresponding C function is `sched_yield`.
  @usableFromInline
  static func yield() {
    sched_yield()
  }
}
