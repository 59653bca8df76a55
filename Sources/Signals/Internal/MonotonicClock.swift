#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The clock that limits the work of a thread for others; operators use their scheduler's.
@usableFromInline
enum MonotonicClock {
  /// The time since an arbitrary moment; the corresponding C function is `clock_gettime`.
  @usableFromInline static var nanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
