import Foundation
import Glibc
import TestSupport

/// A wall clock that a test moves while the programs that were started with it run.
///
/// A namespace of times (`unshare --time`) has no wall clock, so a library that replaces
/// `clock_gettime` is loaded into the program. The monotonic clocks stay as they are.
final class FakeClock {
  /// Whether the compiler that comes with Swift can make the library, and a program uses it.
  static let isAvailable = (try? FakeClock()) != nil

  private static let code = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static volatile int64_t none;
    static volatile int64_t *offset = &none;

    __attribute__((constructor)) static void open_offset(void) {
      const char *path = getenv("CLOCK_OFFSET_FILE");
      int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      if (file < 0) return;
      void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
      if (page != MAP_FAILED) offset = page;
      close(file);
    }

    int clock_gettime(clockid_t clock, struct timespec *time) {
      int result = syscall(SYS_clock_gettime, clock, time);
      int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
      if (result == 0 && is_wall) time->tv_sec += *offset;
      return result;
    }

    int gettimeofday(struct timeval *restrict time, void *restrict zone) {
      (void)zone;
      struct timespec now;
      int result = clock_gettime(CLOCK_REALTIME, &now);
      time->tv_sec = now.tv_sec;
      time->tv_usec = now.tv_nsec / 1000;
      return result;
    }

    time_t time(time_t *seconds) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      if (seconds) *seconds = now.tv_sec;
      return now.tv_sec;
    }

    """

  private let folder: Folder

  /// Makes a clock that shows the right time.
  init() throws {
    folder = try Folder()
    try folder.write(Self.code, to: "clock.c")
    let compiled = try Child.run(
      ["clang", "-O1", "-shared", "-fPIC", "-o", "clock.so", "clock.c"], in: folder)
    guard compiled.end == .exit(0) else { throw TestSystemError.malformed(compiled.errors) }
    let year: Int64 = 365 * 86_400
    try set(secondsAhead: -year)
    let date = try Child.run(launcher + ["date", "+%s"]).output
    guard let shown = Int64(date.dropLast()), shown < Int64(Date().timeIntervalSince1970) - 86_400
    else { throw TestSystemError.malformed("date printed \(date)") }
    try set(secondsAhead: 0)
    let enlist = try Child.run(launcher + ["enlist", "--version"])
    guard enlist.end == .exit(0) else { throw TestSystemError.malformed(enlist.errors) }
  }

  /// The command that starts a program with this clock.
  var launcher: [String] {
    [
      "env", "LD_PRELOAD=\(folder("clock.so"))",
      "CLOCK_OFFSET_FILE=\(folder("offset"))",
    ]
  }

  /// Sets the difference to the right time, at once for all programs that run with this clock.
  func set(secondsAhead seconds: Int64) throws {
    let file = open(folder("offset"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TestSystemError.system("open", errno: errno) }
    defer { close(file) }
    var seconds = seconds
    guard pwrite(file, &seconds, 8, 0) == 8 else {
      throw TestSystemError.system("pwrite", errno: errno)
    }
  }
}
