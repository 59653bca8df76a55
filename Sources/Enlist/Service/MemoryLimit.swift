internal import FoundationEssentials
internal import Glibc

/// The limits on the memory of the process.
enum MemoryLimit {
  /// The address space of a thread in bytes: its stack, and the arena that the allocator reserves.
  private static let threadBytes = 72 << 20
  /// The number of threads in addition to one for each core.
  private static let threadCount = 7

  /// Reads the limit of the container and that of the address space (`ulimit -v`), and returns the
  /// lower one in bytes.
  ///
  /// The process ends if memory cannot be allocated, so both count. Returns `nil` without a limit.
  static func inForce() -> Int? {
    let threads = threadCount + ProcessInfo.processInfo.activeProcessorCount
    let addresses = addressLimit(mapped: ProcessStatistics.mappedBytes ?? 0, threads: threads)
    return [ofContainer(), addresses].compactMap { $0 }.min()
  }

  /// Reads the limit of the address space, and subtracts memory that is mapped but not used; the
  /// corresponding C function is `getrlimit`.
  private static func addressLimit(mapped: Int, threads: Int) -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur != .max
    else { return nil }
    return max(Int(clamping: limit.rlim_cur) - mapped - threads * threadBytes, 0)
  }

  /// Reads the limit of the process's control group, version 2 or 1, in bytes; `nil` without a
  /// limit.
  private static func ofContainer() -> Int? {
    lowest(of: text("/proc/self/cgroup")) { text($0) }
  }

  /// Finds the lowest limit of a process's control groups and their ancestors, in bytes; `nil`
  /// without a limit.
  ///
  /// - Parameter read: Reads a file; returns an empty string if the file does not exist.
  static func lowest(of groups: String, _ read: (String) -> String) -> Int? {
    var limits: [Int] = []
    for line in groups.split(separator: "\n") {
      // Each line is a number, the controllers, and the path of the group.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isUnified = parts[1].isEmpty
      guard isUnified || parts[1].split(separator: ",").contains("memory") else { continue }
      let root = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      let name = isUnified ? "memory.max" : "memory.limit_in_bytes"
      var path = parts[2][...]
      while true {
        let folder = path == "/" ? "" : path
        let limit = read("\(root)\(folder)/\(name)").prefix { $0.isASCII && $0.isNumber }
        // Version 1 expresses "no limit" as a number larger than any memory.
        if let bytes = Int(limit), bytes < 1 << 60 { limits.append(bytes) }
        guard let slash = path.lastIndex(of: "/"), path != "/" else { break }
        path = slash == path.startIndex ? "/" : path[..<slash]
      }
    }
    return limits.min()
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
