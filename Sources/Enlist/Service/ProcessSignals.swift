internal import Glibc

/// Unix signals that must not end the program.
enum ProcessSignals {
  /// Ignores SIGPIPE and SIGXFSZ, which by default end the process.
  ///
  /// A write to a closed pipe then fails with `EPIPE`, and a write beyond the file-size limit with
  /// `EFBIG`. The corresponding C function is `signal`.
  static func ignoreWriteSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Ignores signals that the service does not use and that would end it without draining.
  ///
  /// SIGHUP is ignored until ``ServiceComposition`` observes it. The corresponding C function is
  /// `signal`.
  static func ignoreStraySignals() {
    for number in [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM] { signal(number, SIG_IGN) }
  }
}
