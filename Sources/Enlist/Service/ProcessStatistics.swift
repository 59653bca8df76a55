internal import FoundationEssentials
internal import Glibc

/// Statistics of this process, read from the system.
enum ProcessStatistics {
  /// The number of open file descriptors; `nil` if `/proc` is not available.
  static var openDescriptors: Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Exclude the entries for the folder and its parent, and the descriptor that reads them.
    return count - 3
  }

  /// The soft limit of open file descriptors; the corresponding C function is `getrlimit`.
  static var maximumDescriptors: Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_cur)
  }

  /// The address space in use, in bytes; `nil` if `/proc` is not available.
  static var mappedBytes: Int? { bytes(at: 0) }

  /// The resident memory in bytes; `nil` if `/proc` is not available.
  static var residentBytes: Int? { bytes(at: 1) }

  /// Reads one of the numbers of pages in `/proc/self/statm`.
  private static func bytes(at index: Int) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst(index).first.flatMap({ Int($0) })
    else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The current time in seconds since 1970, read once at startup as the approximate start of the
  /// process.
  ///
  /// The precision is a millisecond, because a process that is restarted immediately may start in
  /// the same second.
  static var startSeconds: Double { (Date().timeIntervalSince1970 * 1000).rounded() / 1000 }

  /// The processor time of all threads in seconds; the corresponding C function is
  /// `clock_gettime`.
  static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
