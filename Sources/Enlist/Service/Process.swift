internal import FoundationEssentials
internal import Glibc

/// This process: what it uses, and what it may use.
enum ThisProcess {
  /// The approximate start in seconds since 1970, to the millisecond, because a process that is
  /// restarted immediately may start in the same second.
  static let start = (Date().timeIntervalSince1970 * 1000).rounded() / 1000

  /// Opens `/dev/null` in place of each standard stream that is closed: otherwise the first socket or
  /// database would get its number, and what the program prints.
  static func openMissingStreams() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      // The system assigns the lowest number, which is this one.
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Ignores SIGPIPE and SIGXFSZ: a write that cannot succeed fails with EPIPE or EFBIG.
  static func ignoreWriteSignals() { for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) } }

  /// Ignores signals that would end the service without draining; SIGHUP until it is observed.
  static func ignoreStraySignals() {
    for number in [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM] { signal(number, SIG_IGN) }
  }

  // MARK: Statistics

  /// The number of open descriptors, without the one that reads them.
  static var openDescriptors: Int? {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
  }

  static var residentBytes: Int? { bytes(at: 1) }

  static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }

  /// Reads one of the numbers of pages in `/proc/self/statm`.
  private static func bytes(at index: Int) -> Int? {
    text("/proc/self/statm").split(separator: " ").dropFirst(index).first.flatMap { Int($0) }
      .map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
  }

  // MARK: Limits

  static var maximumDescriptors: Int? { limit(RLIMIT_NOFILE).map { Int(clamping: $0.rlim_cur) } }

  /// Raises the soft limit of open descriptors to the hard limit.
  static func raiseDescriptors() -> Int {
    guard var limit = limit(RLIMIT_NOFILE) else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return maximumDescriptors ?? 1024
  }

  /// The lower one of the limits of the container and of the address space (`ulimit -v`), in bytes:
  /// the process ends if memory cannot be allocated.
  static var memoryLimit: Int? {
    [lowestLimit(ofGroups: text("/proc/self/cgroup"), text), addressLimit].compactMap(\.self).min()
  }

  /// Without what is mapped but not used: 72 MiB for each thread, its stack and arena.
  private static var addressLimit: Int? {
    guard let limit = limit(RLIMIT_AS), limit.rlim_cur != .max else { return nil }
    let threads = 8 + ProcessInfo.processInfo.activeProcessorCount
    return max(Int(clamping: limit.rlim_cur) - (bytes(at: 0) ?? 0) - threads * 72 << 20, 0)
  }

  /// Finds the lowest limit of control groups, version 2 or 1, and their ancestors.
  static func lowestLimit(ofGroups groups: String, _ read: (String) -> String) -> Int? {
    var limits: [Int] = []
    for line in groups.split(separator: "\n") {
      // Each line is a number, the controllers, and the path of the group.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[1].isEmpty || parts[1].split(separator: ",").contains("memory")
      else { continue }
      let (root, name) =
        parts[1].isEmpty
        ? ("/sys/fs/cgroup", "memory.max") : ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      let folders = parts[2].split(separator: "/")
      for count in 0...folders.count {
        let folder = folders.prefix(count).map { "/\($0)" }.joined()
        let digits = read("\(root)\(folder)/\(name)").prefix { $0.isASCII && $0.isNumber }
        // Version 1 expresses "no limit" as a number larger than any memory.
        if let bytes = Int(digits), bytes < 1 << 60 { limits.append(bytes) }
      }
    }
    return limits.min()
  }

  private static func limit(_ resource: __rlimit_resource) -> rlimit? {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 ? limit : nil
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
