internal import Glibc

/// Unix signals that must not end the program.
enum ProcessSignals {
  /// Makes a write to a reader that is gone fail with `EPIPE`, and one beyond the file-size limit
  /// with `EFBIG`, where the system would end the process; the corresponding C function is `signal`.
  static func ignoreWriteSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Ignores the signals that mean nothing to the service and would end it without draining; the
  /// corresponding C function is `signal`.
  ///
  /// SIGHUP is among them until ``HangupSignal`` listens.
  static func ignoreStraySignals() {
    for number in [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM] { signal(number, SIG_IGN) }
  }
}
